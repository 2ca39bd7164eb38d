//! Drawings for people: SVG without scripts and without anything to load, flowcharts of Mermaid, and rows of text.

pub mod chart;
pub mod concepts;
pub mod cost;
mod flight;
pub mod fragments;
pub mod graph;
pub mod hover;
pub mod kernel;
mod layout;
pub mod legend;
pub mod matrix;
pub mod mermaid;
pub mod rows;
mod svg;

pub use svg::Theme;
