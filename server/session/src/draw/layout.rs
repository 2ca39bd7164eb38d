//! Where the boxes and lines of a graph go: layers from top to bottom, few crossings, short lines.
//!
//! The method is that of Sugiyama, Tagawa and Toda: edges that close cycles are turned around, boxes are put
//! into layers, edges that pass a layer get a place in it, the places of each layer are ordered by those
//! they are connected with, and last come the coordinates. Edges to the same box share their places.

use std::ops::Range;

/// Larger graphs are put into one column.
const MOST_BOXES: usize = 600;
const MOST_PLACES: usize = 12_000;
/// How often the places of all layers are ordered, and how often they are moved.
const ORDERINGS: usize = 12;
const MOVES: usize = 24;
/// Between neighbours in a layer.
const GAP: f64 = 26.0;
/// The width that an edge takes in a layer, in pixels.
const LANE: f64 = 8.0;
/// Lanes at the side of a column.
const LANES: usize = 24;

/// A layout; distances are in pixels from the left upper corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Layout {
    /// The left upper corner of each box.
    pub(super) boxes: Vec<(f64, f64)>,
    /// The way of each edge.
    pub(super) routes: Vec<Route>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The way of an edge: down out of a box, through the places of layers, down into a box.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Route {
    /// Points, two by two: between the points of a pair the line is straight, between pairs it bends.
    pub(super) points: Vec<(f64, f64)>,
}

/// Lays out boxes of some width and height, the first of which is the start, and edges among them.
pub(super) fn layout(boxes: &[(f64, f64)], edges: &[(usize, usize)]) -> Layout {
    let fit = boxes.len() <= MOST_BOXES;
    let layered = fit.then(|| Layered::layout(boxes, edges)).flatten();
    layered.unwrap_or_else(|| column(boxes, edges))
}

/// All boxes below each other, with edges at their right side.
fn column(boxes: &[(f64, f64)], edges: &[(usize, usize)]) -> Layout {
    let width = boxes.iter().map(|it| it.0).fold(0.0, f64::max);
    let mut found = Layout {
        width: width + LANE * (LANES + 3) as f64,
        ..Layout::default()
    };
    for (_, height) in boxes {
        found.boxes.push((0.0, found.height));
        found.height += height + GAP;
    }
    for (index, (from, to)) in edges.iter().copied().enumerate() {
        let (Some(start), Some(end)) = (found.boxes.get(from), found.boxes.get(to)) else {
            found.routes.push(Route::default());
            continue;
        };
        let bottom = start.1 + boxes[from].1;
        let points = if to == from + 1 {
            let x = boxes[from].0.min(boxes[to].0) / 2.0;
            vec![(x, bottom), (x, end.1)]
        } else {
            let lane = width + LANE * ((index % LANES) + 2) as f64;
            let (out, into) = (boxes[from].0 * 0.75, boxes[to].0 * 0.75);
            vec![
                (out, bottom),
                (out, bottom + 1.0),
                (lane, bottom + 1.0),
                (lane, end.1 - 2.0),
                (into, end.1 - 2.0),
                (into, end.1),
            ]
        };
        found.routes.push(Route { points });
    }
    found
}

/// A box, or the point of an edge in a layer.
#[derive(Clone, Copy, Debug)]
struct LayerNode {
    layer: usize,
    width: f64,
    height: f64,
    /// The position of the middle.
    x: f64,
    /// Its number in its layer.
    order: usize,
    /// For an edge that goes up again, the box of this layer that it leaves or enters.
    beside: Option<usize>,
}

/// The places of the edges to one box, one in each of some layers.
#[derive(Clone, Debug, Default)]
struct Chain {
    layers: Range<usize>,
    first: usize,
}

impl Chain {
    fn place(&self, layer: usize) -> usize {
        self.first + layer.saturating_sub(self.layers.start)
    }
}

struct Layered {
    places: Vec<LayerNode>,
    layers: Vec<Vec<usize>>,
    /// Places of neighbouring layers that are connected: the upper and the lower ones of each.
    up: Vec<Vec<usize>>,
    down: Vec<Vec<usize>>,
    /// The ends at each box, for edges downwards and for those that go up again.
    chains: Vec<[Chain; 2]>,
    /// Whether each edge goes up again.
    back: Vec<bool>,
}

impl Layered {
    fn layout(boxes: &[(f64, f64)], edges: &[(usize, usize)]) -> Option<Layout> {
        let count = boxes.len();
        let edges_inside = edges.iter().all(|it| it.0 < count && it.1 < count);
        if count == 0 || !edges_inside {
            return None;
        }
        let back = back_edges(count, edges);
        let layer = layers(count, edges, &back);
        let mut it = Layered {
            places: boxes
                .iter()
                .zip(&layer)
                .map(|(size, layer)| LayerNode {
                    layer: *layer,
                    width: size.0,
                    height: size.1,
                    x: 0.0,
                    order: 0,
                    beside: None,
                })
                .collect(),
            layers: Vec::new(),
            up: Vec::new(),
            down: Vec::new(),
            chains: vec![[Chain::default(), Chain::default()]; count],
            back,
        };
        it.chain(edges)?;
        it.link(edges);
        it.fill();
        it.order();
        it.place();
        it.close_gaps();
        Some(it.finish(edges))
    }

    /// Gives the edges to each box their places; `None` if they are too many.
    fn chain(&mut self, edges: &[(usize, usize)]) -> Option<()> {
        let mut spans: Vec<[Option<Range<usize>>; 2]> = vec![[None, None]; self.chains.len()];
        for ((from, to), back) in edges.iter().zip(&self.back) {
            let (from, head) = (self.places[*from].layer, self.places[*to].layer);
            let span = match back {
                true => head..from + 1,
                false => from + 1..head,
            };
            if span.is_empty() {
                continue;
            }
            let known = &mut spans[*to][usize::from(*back)];
            *known = Some(match known.take() {
                Some(it) => it.start.min(span.start)..it.end.max(span.end),
                None => span,
            });
        }
        for (to, spans) in spans.into_iter().enumerate() {
            for (back, span) in spans.into_iter().enumerate() {
                let Some(layers) = span else { continue };
                if self.places.len() + layers.len() > MOST_PLACES {
                    return None;
                }
                let first = self.places.len();
                self.places.extend(layers.clone().map(|layer| LayerNode {
                    layer,
                    width: LANE,
                    height: 0.0,
                    x: 0.0,
                    order: 0,
                    beside: None,
                }));
                self.chains[to][back] = Chain { layers, first };
            }
        }
        Some(())
    }

    fn link(&mut self, edges: &[(usize, usize)]) {
        let mut links: Vec<(usize, usize)> = Vec::new();
        for chain in self.chains.iter().flatten() {
            let all = chain.first..chain.first + chain.layers.len();
            links.extend(all.clone().zip(all.skip(1)));
        }
        for ((from, to), back) in edges.iter().zip(&self.back) {
            if *back {
                for at in [*to, *from] {
                    let place = self.chains[*to][1].place(self.places[at].layer);
                    self.places[place].beside = Some(at);
                }
                continue;
            }
            let below = self.places[*from].layer + 1;
            let chain = &self.chains[*to][0];
            if below >= self.places[*to].layer {
                links.push((*from, *to));
            } else {
                links.push((*from, chain.place(below)));
                links.push((chain.place(self.places[*to].layer - 1), *to));
            }
        }
        links.sort_unstable();
        links.dedup();
        self.up = vec![Vec::new(); self.places.len()];
        self.down = vec![Vec::new(); self.places.len()];
        for (upper, lower) in links {
            self.down[upper].push(lower);
            self.up[lower].push(upper);
        }
    }

    fn fill(&mut self) {
        let count = self.places.iter().map(|it| it.layer + 1).max().unwrap_or(0);
        self.layers = vec![Vec::new(); count];
        for (index, place) in self.places.iter_mut().enumerate() {
            place.order = self.layers[place.layer].len();
            self.layers[place.layer].push(index);
        }
    }

    /// Orders the places of the layers so that few lines cross.
    fn order(&mut self) {
        let mut best = (self.crossings(), self.layers.clone());
        for round in 0..ORDERINGS {
            let down = round % 2 == 0;
            let count = self.layers.len();
            for step in 0..count {
                let layer = if down { step } else { count - 1 - step };
                let links = if down { &self.up } else { &self.down };
                let places = &self.places;
                let key = |index: &usize| {
                    let near = &links[*index];
                    match near.len() {
                        0 => places[*index].order as f64,
                        len => {
                            let sum: usize = near.iter().map(|it| places[*it].order).sum();
                            sum as f64 / len as f64
                        }
                    }
                };
                // An edge that goes up again stays at the right side of its box.
                let key = |index: &usize| match places[*index].beside {
                    Some(near) => key(&near) + 0.01,
                    None => key(index),
                };
                let mut keys: Vec<(f64, usize)> =
                    self.layers[layer].iter().map(|it| (key(it), *it)).collect();
                keys.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.layers[layer] = keys.into_iter().map(|it| it.1).collect();
                self.number(layer);
            }
            let crossings = self.crossings();
            // The first order knows nothing of what belongs together.
            if crossings <= best.0 {
                best = (crossings, self.layers.clone());
            }
        }
        self.layers = best.1;
        for layer in 0..self.layers.len() {
            self.number(layer);
        }
    }

    fn number(&mut self, layer: usize) {
        for (order, index) in self.layers[layer].iter().enumerate() {
            self.places[*index].order = order;
        }
    }

    /// How many pairs of lines between neighbouring layers cross.
    fn crossings(&self) -> usize {
        let mut crossings = 0;
        for (number, layer) in self.layers.iter().enumerate() {
            let below = self.layers.get(number + 1).map_or(0, Vec::len);
            // How many lines end at each place so far, as a Fenwick tree.
            let mut ends = vec![0_usize; below + 1];
            let mut lines = 0;
            for index in layer {
                let mut orders: Vec<usize> = (self.down[*index].iter())
                    .map(|it| self.places[*it].order)
                    .collect();
                orders.sort_unstable();
                for order in &orders {
                    let mut at = order + 1;
                    let mut before = 0;
                    while at > 0 {
                        before += ends.get(at).copied().unwrap_or(0);
                        at &= at - 1;
                    }
                    crossings += lines - before;
                }
                for order in orders {
                    lines += 1;
                    let mut at = order + 1;
                    while let Some(end) = ends.get_mut(at) {
                        *end += 1;
                        at += at & at.wrapping_neg();
                    }
                }
            }
        }
        crossings
    }

    /// Moves the places of each layer, in their order, to where their neighbours are.
    fn place(&mut self) {
        for layer in &self.layers {
            let mut x = 0.0;
            for index in layer {
                let place = &mut self.places[*index];
                place.x = x + place.width / 2.0;
                x += place.width + GAP;
            }
        }
        let count = self.layers.len();
        for round in 0..MOVES {
            let down = round % 2 == 0;
            for step in 0..count {
                let layer = if down { step } else { count - 1 - step };
                // In the end both sides count.
                let both = round + 4 >= MOVES;
                self.settle(layer, down || both, !down || both);
            }
        }
    }

    /// Moves the places of a layer to the middle of their upper or lower neighbours as far as there is room:
    /// the least squares under the distances, by joining neighbours that would collide.
    fn settle(&mut self, layer: usize, up: bool, down: bool) {
        let boxes = self.chains.len();
        let is_lane = |index: usize| index >= boxes;
        let mut runs: Vec<(f64, f64, usize)> = Vec::new();
        let mut offsets = Vec::new();
        let (mut offset, mut before): (f64, Option<usize>) = (0.0, None);
        for index in self.layers[layer].iter().copied() {
            if let Some(before) = before {
                let gap = if is_lane(before) && is_lane(index) {
                    LANE
                } else {
                    GAP
                };
                offset += (self.places[before].width + self.places[index].width) / 2.0 + gap;
            }
            before = Some(index);
            offsets.push(offset);
            let near = (self.up[index].iter().filter(|_| up))
                .chain(self.down[index].iter().filter(|_| down));
            let (mut sum, mut weights) = (0.0, 0.0);
            for other in near {
                // Straight lanes matter most.
                let weight = match (is_lane(index), is_lane(*other)) {
                    (true, true) => 8.0,
                    (false, false) => 1.0,
                    _ => 2.0,
                };
                sum += weight * self.places[*other].x;
                weights += weight;
            }
            if let Some(near) = self.places[index].beside {
                let near = &self.places[near];
                sum += 2.0 * (near.x + near.width / 2.0 + GAP);
                weights += 2.0;
            }
            if weights == 0.0 {
                (sum, weights) = (self.places[index].x * 0.1, 0.1);
            }
            let mut run = (sum - weights * offset, weights, 1);
            while let Some(last) = runs.pop_if(|it| it.0 / it.1 > run.0 / run.1) {
                run = (last.0 + run.0, last.1 + run.1, last.2 + run.2);
            }
            runs.push(run);
        }
        let starts = runs
            .iter()
            .flat_map(|it| std::iter::repeat_n(it.0 / it.1, it.2));
        let moved = self.layers[layer].iter().zip(starts.zip(offsets));
        for (index, (start, offset)) in moved {
            self.places[*index].x = start + offset;
        }
    }

    /// Makes strips narrow in which no layer has a place: nothing holds parts near each other that no edge connects.
    fn close_gaps(&mut self) {
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        let left = |it: &LayerNode| it.x - it.width / 2.0;
        order.sort_by(|a, b| left(&self.places[*a]).total_cmp(&left(&self.places[*b])));
        let (mut end, mut shift): (Option<f64>, f64) = (None, 0.0);
        for index in order {
            let place = &mut self.places[index];
            let before = end.unwrap_or(left(place));
            shift += (left(place) - before - GAP).max(0.0);
            end = Some(before.max(place.x + place.width / 2.0));
            place.x -= shift;
        }
    }

    fn finish(self, edges: &[(usize, usize)]) -> Layout {
        let left = |it: &LayerNode| it.x - it.width / 2.0;
        let least = self.places.iter().map(left).fold(f64::MAX, f64::min);
        let mut found = Layout::default();
        // The top and the bottom of each layer.
        let mut rows: Vec<(f64, f64)> = Vec::new();
        let mut y = GAP;
        for layer in &self.layers {
            let height = layer.iter().map(|it| self.places[*it].height);
            let height = height.fold(0.0, f64::max);
            let lines: usize = layer.iter().map(|it| self.down[*it].len()).sum();
            rows.push((y, y + height));
            y += height + (34.0 + 2.0 * lines as f64).min(90.0);
        }
        found.height = rows.last().map_or(0.0, |it| it.1) + GAP;
        for (index, place) in self.places.iter().enumerate() {
            found.width = found.width.max(place.x + place.width / 2.0 - least);
            if index < self.chains.len() {
                found.boxes.push((left(place) - least, rows[place.layer].0));
            }
        }
        let ports = self.ports(edges);
        for ((from, to), (back, port)) in edges.iter().zip(self.back.iter().zip(ports)) {
            let (tail, head) = (&self.places[*from], &self.places[*to]);
            let x = port - least;
            let mut points = vec![
                (x, rows[tail.layer].0 + tail.height),
                (x, rows[tail.layer].1),
            ];
            let chain = &self.chains[*to][usize::from(*back)];
            let mut pass = |layer: usize, upwards: bool| {
                let x = self.places[chain.place(layer)].x - least;
                let (top, bottom) = rows[layer];
                points.extend(match upwards {
                    true => [(x, bottom), (x, top)],
                    false => [(x, top), (x, bottom)],
                });
            };
            if *back {
                (head.layer..=tail.layer)
                    .rev()
                    .for_each(|it| pass(it, true));
            } else {
                (tail.layer + 1..head.layer).for_each(|it| pass(it, false));
            }
            let aside = if *back {
                head.width.min(60.0) / 4.0
            } else {
                0.0
            };
            let end = (head.x + aside - least, rows[head.layer].0);
            points.extend([(end.0, end.1 - 1.0), end]);
            found.routes.push(Route { points });
        }
        found
    }

    /// Where each edge leaves its box: side by side, in the order of where they go.
    fn ports(&self, edges: &[(usize, usize)]) -> Vec<f64> {
        let mut out: Vec<Vec<(f64, usize)>> = vec![Vec::new(); self.chains.len()];
        for (index, ((from, to), back)) in edges.iter().zip(&self.back).enumerate() {
            let tail = &self.places[*from];
            let chain = &self.chains[*to][usize::from(*back)];
            let layer = if *back { tail.layer } else { tail.layer + 1 };
            let next = match chain.layers.contains(&layer) {
                true => chain.place(layer),
                false => *to,
            };
            out[*from].push((self.places[next].x, index));
        }
        let mut ports = vec![0.0; edges.len()];
        for (place, mut list) in self.places.iter().zip(out) {
            list.sort_by(|a, b| a.0.total_cmp(&b.0));
            let step = (place.width / (list.len() + 1) as f64).min(36.0);
            let start = place.x - step * list.len().saturating_sub(1) as f64 / 2.0;
            for (number, (_, edge)) in list.into_iter().enumerate() {
                ports[edge] = start + step * number as f64;
            }
        }
        ports
    }
}

/// The edges that lead back to where a walk from the start still is.
fn back_edges(count: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (index, (from, _)) in edges.iter().enumerate() {
        out[*from].push(index);
    }
    let mut back = vec![false; edges.len()];
    let (mut seen, mut open) = (vec![false; count], vec![false; count]);
    for root in 0..count {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        open[root] = true;
        let mut walk = vec![(root, 0)];
        while let Some((node, next)) = walk.last_mut() {
            let Some(edge) = out[*node].get(*next) else {
                open[*node] = false;
                walk.pop();
                continue;
            };
            *next += 1;
            let to = edges[*edge].1;
            if open[to] {
                back[*edge] = true;
            } else if !std::mem::replace(&mut seen[to], true) {
                open[to] = true;
                walk.push((to, 0));
            }
        }
    }
    back
}

/// The layer of each box: below all from which a forward edge comes.
fn layers(count: usize, edges: &[(usize, usize)], back: &[bool]) -> Vec<usize> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut waits = vec![0_usize; count];
    for ((from, to), back) in edges.iter().zip(back) {
        if !back {
            out[*from].push(*to);
            waits[*to] += 1;
        }
    }
    let mut layer = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|it| waits[*it] == 0).collect();
    while let Some(node) = ready.pop() {
        for to in &out[node] {
            layer[*to] = layer[*to].max(layer[node] + 1);
            waits[*to] -= 1;
            if waits[*to] == 0 {
                ready.push(*to);
            }
        }
    }
    layer
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that no box covers another and that every edge leads from its box to its box.
    fn check(count: usize, edges: &[(usize, usize)]) -> Layout {
        let boxes: Vec<(f64, f64)> = (0..count)
            .map(|it| (60.0 + (it % 5) as f64 * 40.0, 20.0 + (it % 3) as f64 * 30.0))
            .collect();
        let found = layout(&boxes, edges);
        assert_eq!(
            (found.boxes.len(), found.routes.len()),
            (count, edges.len())
        );
        for (index, (place, size)) in found.boxes.iter().zip(&boxes).enumerate() {
            assert!(place.0 >= -0.01 && place.0 + size.0 <= found.width + 0.01);
            assert!(place.1 >= 0.0 && place.1 + size.1 <= found.height);
            for (other, other_size) in found.boxes.iter().zip(&boxes).skip(index + 1) {
                let apart = place.0 + size.0 <= other.0 + 0.01
                    || other.0 + other_size.0 <= place.0 + 0.01
                    || place.1 + size.1 <= other.1
                    || other.1 + other_size.1 <= place.1;
                assert!(apart, "{place:?} {other:?}");
            }
        }
        for ((from, to), route) in edges.iter().zip(&found.routes) {
            let (first, last) = (route.points[0], route.points[route.points.len() - 1]);
            let (tail, head) = (found.boxes[*from], found.boxes[*to]);
            assert_eq!(route.points.len() % 2, 0);
            assert!(tail.0 <= first.0 && first.0 <= tail.0 + boxes[*from].0);
            assert!((first.1 - tail.1 - boxes[*from].1).abs() < 0.01);
            assert!(head.0 <= last.0 && last.0 <= head.0 + boxes[*to].0);
            assert!((last.1 - head.1).abs() < 0.01);
        }
        found
    }

    #[test]
    fn a_diamond_is_symmetric() {
        let boxes = [(100.0, 20.0); 4];
        let found = layout(&boxes, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        let [top, left, right, bottom] = found.boxes[..] else {
            panic!("{found:?}");
        };
        assert!((top.0 - bottom.0).abs() < 1.0 && (left.0 + right.0 - 2.0 * top.0).abs() < 1.0);
        assert!(top.1 < left.1 && left.1 == right.1 && right.1 < bottom.1);
    }

    #[test]
    fn loops_stay_at_their_boxes() {
        // Two columns, in the left one of which is a loop of one box and one of two.
        let edges = [
            (0, 1),
            (0, 2),
            (1, 1),
            (1, 3),
            (2, 4),
            (3, 5),
            (5, 3),
            (4, 5),
        ];
        let boxes = [(100.0, 20.0); 6];
        let found = layout(&boxes, &edges);
        for edge in [2, 6] {
            let (from, to) = edges[edge];
            let right = found.boxes[from].0.max(found.boxes[to].0) + 100.0;
            let points = found.routes[edge].points.iter();
            let most = points.map(|it| it.0).fold(0.0, f64::max);
            assert!(
                right < most && most < right + 4.0 * GAP,
                "{edge}: {most} {right}"
            );
        }
    }

    #[test]
    fn parts_that_no_edge_connects_are_near() {
        let found = check(5, &[(0, 1), (1, 2), (1, 3), (2, 1)]);
        // The boxes side by side are 700 wide.
        assert!(found.width < 700.0, "{}", found.width);
    }

    #[test]
    fn all_kinds_of_graphs() {
        assert_eq!(check(0, &[]).boxes, []);
        check(1, &[(0, 0)]);
        check(3, &[(0, 1), (1, 0), (2, 1)]);
        // Two ways into a loop.
        check(4, &[(0, 1), (0, 2), (1, 2), (2, 1), (2, 3)]);
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..60 {
            let count = rng.usize(1..40);
            let edges: Vec<(usize, usize)> = (0..rng.usize(0..70))
                .map(|_| (rng.usize(..count), rng.usize(..count)))
                .collect();
            check(count, &edges);
        }
    }

    #[test]
    fn large_graphs_are_columns() {
        let count = MOST_BOXES + 1;
        let edges: Vec<(usize, usize)> =
            (1..count).map(|it| (it - 1, it)).chain([(9, 3)]).collect();
        let found = check(count, &edges);
        assert!(found.boxes.iter().all(|it| it.0 == 0.0));
    }

    #[test]
    fn long_edges_do_not_need_endless_room() {
        // Every box of a long row leads to each of the last ones.
        let edges: Vec<(usize, usize)> = (1..400)
            .flat_map(|it| [(it - 1, it), (it - 1, 400 + it % 200)])
            .collect();
        check(600, &edges);
    }
}
