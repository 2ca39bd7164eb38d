//! Drawings for people: SVG without scripts and without anything to load, and flowcharts of Mermaid.

pub mod chart;
pub mod concepts;
mod flight;
pub mod fragments;
pub mod graph;
pub mod hover;
mod layout;
pub mod legend;
pub mod matrix;
pub mod mermaid;
mod svg;

pub use svg::Theme;
