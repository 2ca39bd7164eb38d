//! `ptx-analyzer dap`: serve a debugger.
//!
//! One thread reads messages, the other one runs the kernel and answers them. Messages have the frames of LSP.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, TcpListener},
    path::Path,
    sync::mpsc::{self, Receiver, TryRecvError},
    thread,
};

use session::debug::{Files, Programs, Session};

use super::{FAILED, Io, run::subject::read_below};
use crate::files::read;

/// The longest message, in bytes.
const MAX_MESSAGE: usize = 64 << 20;
/// The longest line of a header, in bytes.
const MAX_LINE: u64 = 16 << 10;
/// How many messages may wait.
const WAITING: usize = 256;

#[derive(Debug, clap::Args)]
pub(super) struct DapArgs {
    /// Serve one client on this port of this machine instead of standard input and output; 0 takes a free one, which is
    /// told on standard error.
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
}

pub(super) fn run(args: &DapArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let Some(port) = args.port else {
        return Ok(serve(io::stdin(), &mut io::stdout()));
    };
    // Other machines are not let in: a launch reads files.
    let listener = match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Ok(it) => it,
        Err(error) => {
            io.error(format_args!("port {port}: {error}"))?;
            return Ok(FAILED);
        }
    };
    writeln!(io.stderr, "listening on {}", listener.local_addr()?)?;
    io.stderr.flush()?;
    let (stream, _) = listener.accept()?;
    drop(listener);
    stream.set_nodelay(true)?;
    let input = stream.try_clone()?;
    Ok(serve(input, &mut &stream))
}

/// The files of the machine.
struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        read(Path::new(path), syntax::text::MAX_LEN as u64).map_err(|it| it.to_string())
    }

    fn read_below(&self, folder: &str, name: &str) -> Result<Vec<u8>, String> {
        read_below(Path::new(folder), name)
    }
}

/// Serves a client until it disconnects or ends; the exit status, 1 if what it sends is not the protocol.
fn serve(input: impl Read + Send + 'static, output: &mut dyn Write) -> u8 {
    let (sender, messages) = mpsc::sync_channel(WAITING);
    let reader = thread::Builder::new().name("messages".to_owned());
    let spawned = reader.spawn(move || {
        let mut input = BufReader::new(input);
        loop {
            let message = message(&mut input);
            let ends = !matches!(message, Ok(Some(_)));
            if sender.send(message).is_err() || ends {
                return;
            }
        }
    });
    if spawned.is_err() {
        return FAILED;
    }
    let programs = Programs::default();
    let mut session = Session::new(&Disk, &programs);
    match answer(&mut session, &messages, output) {
        Ok(is_orderly) => u8::from(!is_orderly),
        // A client that is gone needs no answers.
        Err(_) => 0,
    }
}

/// The result of a read: a message, the end, or the reason for which there is none.
type Incoming = io::Result<Option<String>>;

/// Answers messages and runs the kernel; whether the traffic was that of the protocol.
fn answer(
    session: &mut Session<'_>,
    messages: &Receiver<Incoming>,
    output: &mut dyn Write,
) -> io::Result<bool> {
    while !session.is_over() {
        let next = match session.is_running() {
            true => messages.try_recv(),
            false => messages.recv().map_err(|_| TryRecvError::Disconnected),
        };
        match next {
            Ok(Ok(Some(text))) => session.receive(&text),
            Ok(Ok(None)) | Err(TryRecvError::Disconnected) => return Ok(true),
            Ok(Err(_)) => return Ok(false),
            Err(TryRecvError::Empty) => session.advance(),
        }
        for text in session.take_messages() {
            write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        }
        output.flush()?;
    }
    Ok(true)
}

/// Reads a message; `None` at the end of the input.
fn message(input: &mut impl BufRead) -> Incoming {
    let wrong = |text: &str| io::Error::new(io::ErrorKind::InvalidData, text.to_owned());
    let mut length = None;
    loop {
        let mut line = Vec::new();
        input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() && length.is_none() {
            return Ok(None);
        }
        if line.last() != Some(&b'\n') {
            return Err(wrong("a header that does not end"));
        }
        let line = String::from_utf8(line).map_err(|_| wrong("a header that is not text"))?;
        let line = line.trim_end();
        if line.is_empty() {
            match length {
                Some(_) => break,
                // Blank lines between messages do no harm.
                None => continue,
            }
        }
        let Some((name, value)) = line.split_once(':') else {
            return Err(wrong("a line that is not a header"));
        };
        if name.trim().eq_ignore_ascii_case("content-length") {
            let value = value.trim().parse().ok().filter(|it| *it <= MAX_MESSAGE);
            length = Some(value.ok_or_else(|| wrong("a wrong length"))?);
        }
    }
    let mut body = vec![0; length.unwrap_or(0)];
    input.read_exact(&mut body)?;
    String::from_utf8(body)
        .map(Some)
        .map_err(|_| wrong("a message that is not text"))
}
