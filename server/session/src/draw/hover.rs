//! Figures in hovers: Markdown images that carry their drawing with them, so that nothing is loaded.

use analysis::{Figure, matrix_layout::Fragment};
use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{Theme, concepts, fragments};

/// The most characters of a picture: VS Code shows 100,000 of a hover.
const MAX_PICTURE: usize = 90_000;

/// A Markdown image of a figure; empty if it would be too long for a hover.
#[must_use]
pub fn picture(figure: &Figure, theme: &Theme) -> String {
    let Some((title, svg)) = drawn(figure, theme) else {
        return String::new();
    };
    let picture = format!(
        "![{title}](data:image/svg+xml;base64,{})",
        STANDARD.encode(svg)
    );
    match picture.len() <= MAX_PICTURE {
        true => picture,
        false => String::new(),
    }
}

/// The title and the drawing of a figure.
fn drawn(figure: &Figure, theme: &Theme) -> Option<(String, String)> {
    match figure {
        Figure::Concept(name) => {
            let found = concepts::concept(name, theme)?;
            Some((found.title.to_owned(), found.svg))
        }
        Figure::Fragments {
            instruction,
            fragments: all,
        } => {
            let names: Vec<&str> = all.iter().map(|it: &Fragment| it.matrix).collect();
            let title = format!("{} of {instruction}", names.join(", "));
            let svg = fragments::beginning(&title, all, theme);
            Some((title, svg))
        }
    }
}

#[cfg(test)]
mod tests {
    use analysis::matrix_layout::{CATALOG, Layout, layout};

    use super::*;

    fn fragments_of(instruction: &'static str, words: &str) -> Figure {
        let words: Vec<&str> = words.split('.').collect();
        let Some(Layout::Fragments(fragments)) = layout(instruction, &words) else {
            panic!("{instruction} {words:?}");
        };
        Figure::Fragments {
            instruction,
            fragments,
        }
    }

    /// The drawing of a picture.
    fn svg(picture: &str) -> String {
        let (_, data) = picture.split_once("](data:image/svg+xml;base64,").unwrap();
        let bytes = STANDARD.decode(data.strip_suffix(')').unwrap()).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn every_figure_fits_a_hover() {
        let theme = Theme::for_background(true);
        for it in concepts::concepts(&theme) {
            let picture = picture(&Figure::Concept(it.concept), &theme);
            assert!(picture.starts_with("!["), "{}", it.concept);
            assert_eq!(svg(&picture), it.svg);
        }
        for it in CATALOG {
            let picture = picture(&fragments_of(it.instruction, it.words), &theme);
            assert!(svg(&picture).starts_with("<svg "), "{it:?}");
        }
        assert_eq!(picture(&Figure::Concept("nothing"), &theme), "");
    }

    /// Wide accumulators repeat the columns that are drawn.
    #[test]
    fn large_matrices_are_drawn_in_part() {
        let figure = fragments_of("wgmma.mma_async", "sync.aligned.m64n256k16.f32.bf16.bf16");
        let svg = svg(&picture(&figure, &Theme::for_background(false)));
        assert!(svg.contains("D: 64 × 256, rows 0–15, columns 0–7"), "{svg}");
        assert!(svg.len() < 60_000, "{}", svg.len());
    }
}
