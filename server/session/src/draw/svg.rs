//! Pieces of SVG.

use std::fmt::Write as _;

use syntax::text::is_control;

/// The colours of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    pub(crate) background: &'static str,
    pub(crate) text: &'static str,
    /// Text that matters less.
    pub(crate) faint: &'static str,
    /// Lines in the background.
    pub(crate) grid: &'static str,
    /// The values that are live,
    pub(crate) curve: &'static str,
    /// and what would be in the order of the text.
    pub(crate) written: &'static str,
    /// The figures of ptxas.
    pub(crate) exact: &'static str,
    /// The figure that is over the limit.
    pub(crate) warning: &'static str,
    /// From few registers to many.
    pub(crate) heat: [&'static str; 5],
    /// Operations in flight, one colour for each kind.
    pub(crate) flight: [&'static str; 6],
}

impl Theme {
    const LIGHT: Theme = Theme {
        background: "#ffffff",
        text: "#1f2328",
        faint: "#59636e",
        grid: "#d8dee4",
        curve: "#0969da",
        written: "#8250df",
        exact: "#1a7f37",
        warning: "#cf222e",
        heat: ["#f6f8fa", "#ddf4ff", "#fff3c4", "#ffd8a8", "#ffc9c9"],
        flight: [
            "#bf3989", "#0a7ea4", "#9a6700", "#8250df", "#1a7f37", "#cf222e",
        ],
    };
    const DARK: Theme = Theme {
        background: "#1e1e1e",
        text: "#e6edf3",
        faint: "#9198a1",
        grid: "#3d444d",
        curve: "#58a6ff",
        written: "#bc8cff",
        exact: "#3fb950",
        warning: "#f85149",
        heat: ["#262b31", "#12324f", "#4a3d0c", "#5e3512", "#67201f"],
        flight: [
            "#ff7eb6", "#39c5cf", "#d29922", "#bc8cff", "#3fb950", "#f85149",
        ],
    };

    /// The colours for a light or a dark background.
    #[must_use]
    pub fn for_background(dark: bool) -> Theme {
        if dark { Theme::DARK } else { Theme::LIGHT }
    }
}

/// A drawing that grows.
pub(super) struct Svg {
    body: String,
}

impl Svg {
    /// A drawing with a title for those who cannot see it.
    pub(super) fn new(width: f64, height: f64, title: &str, theme: &Theme) -> Svg {
        let mut body = String::new();
        let (width, height) = (width.ceil(), height.ceil());
        let _ = write!(
            body,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" \
             font-family=\"ui-sans-serif, system-ui, sans-serif\" font-size=\"12\" \
             fill=\"{}\">\n<title>{}</title>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n",
            theme.text,
            escape(title),
            theme.background,
        );
        Svg { body }
    }

    /// Appends an element or a part of one.
    pub(super) fn push(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    /// Appends a text that starts, is centred or ends (`start`, `middle`, `end`) at a point of its base line.
    pub(super) fn text(&mut self, at: (f64, f64), anchor: &str, style: &str, text: &str) {
        let _ = writeln!(
            self.body,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\" {style}>{}</text>",
            round(at.0),
            round(at.1),
            escape(text),
        );
    }

    /// The whole drawing.
    pub(super) fn finish(mut self) -> String {
        self.body.push_str("</svg>\n");
        self.body
    }
}

/// A number with one digit after the point at most.
pub(super) fn round(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// Text as XML has it; characters that XML cannot have are replaced.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for it in text.chars() {
        match it {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push(' '),
            it if is_control(it) => out.push('\u{fffd}'),
            it => out.push(it),
        }
    }
    out
}

/// A text that is truncated when it has more than some characters.
pub(super) fn shortened(text: &str, characters: usize) -> String {
    if text.chars().nth(characters).is_none() {
        return text.to_owned();
    }
    let kept: String = text.chars().take(characters.saturating_sub(1)).collect();
    kept + "…"
}
