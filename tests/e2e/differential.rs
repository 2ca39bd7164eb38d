//! After any edits, the server answers as one that never saw another text.

use ptx_tests::{
    client::TestServer,
    fixtures,
    fuzz::fuzz,
    generate,
    session::{self, Session},
};

/// Steps between two comparisons, and comparisons in a session.
const STEPS: usize = 12;
const COMPARISONS: usize = 3;

#[test]
fn answers_after_any_edits_are_those_of_a_fresh_server() {
    let mut files = fixtures::ptx();
    files.extend(
        fixtures::corpus()
            .into_iter()
            .filter(|it| it.text.len() < 200_000),
    );
    fuzz("answers of servers", 10, |rng| {
        // What a browser runs answers as the program does.
        let mut server = match rng.bool() {
            true => TestServer::start(),
            false => TestServer::on_one_thread(),
        };
        session::initialize(&mut server);
        let text = match rng.u8(..5) {
            0 => generate::module(rng.usize(..40_000)),
            _ => rng.choice(&files).expect("a fixture").text.clone(),
        };
        let uri = "file:///ptx-analyzer-tests/edited.ptx";
        let mut session = Session::open(&mut server, uri, &text);
        for _ in 0..COMPARISONS {
            let mut asked = Vec::new();
            for _ in 0..STEPS {
                session.edit(rng, &mut server);
                asked.push(session.ask(rng, &mut server));
            }
            let settled = Session::settle(&mut server, asked);
            if let Err(difference) =
                settled.and_then(|()| session.compare_with_fresh(rng, &mut server))
            {
                panic!("{difference}\nof\n{}", session.text());
            }
        }
    });
}
