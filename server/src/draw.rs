//! Drawings for people: SVG without scripts and without anything to load, and flowcharts of Mermaid.

pub(crate) mod chart;
pub(crate) mod graph;
mod layout;
pub(crate) mod mermaid;
mod svg;

pub(crate) use svg::Theme;
