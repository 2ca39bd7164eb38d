//! The costs of a loop in a few words.

use analysis::Cost;

/// Iterations and figures of one iteration, as far as they are known, such as
/// `8 iterations · 4 KB from global · 16.4 kflop · 4.0 flop/B`; empty if none is.
#[must_use]
pub fn cost(cost: &Cost) -> String {
    let mut parts = Vec::new();
    match (cost.count, &cost.trips) {
        (Some(1), _) => parts.push("1 iteration".to_owned()),
        (_, Some(trips)) => {
            // The names of parameters mostly begin with the name of the entry.
            let trips = trips.replace(&format!("{}_param_", cost.entry), "param_");
            parts.push(format!("{trips} iterations"));
        }
        (_, None) => {}
    }
    let mut bytes = |count: Option<u64>, place: &str| {
        if let Some(count) = count.filter(|it| *it > 0) {
            parts.push(format!("{} {place}", size(count)));
        }
    };
    bytes(cost.global_read, "from global");
    bytes(cost.global_written, "to global");
    bytes(cost.shared, "in shared");
    let flops = cost
        .fma
        .zip(cost.tensor)
        .map(|it| it.0.saturating_add(it.1));
    if let Some(flops) = flops.filter(|it| *it > 0) {
        parts.push(operations(flops));
        if let Some(intensity) = cost.intensity() {
            parts.push(format!("{} flop/B", ratio(intensity)));
        }
    }
    parts.join(" · ")
}

/// Operations for each byte, with about two digits.
#[must_use]
pub fn ratio(intensity: f64) -> String {
    let digits = match intensity {
        ..0.095 => 3,
        ..0.95 => 2,
        ..99.5 => 1,
        _ => 0,
    };
    format!("{intensity:.digits$}")
}

/// A number of bytes; 1 KB has 1024.
fn size(bytes: u64) -> String {
    let units = [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")];
    match units.iter().find(|it| bytes >= it.0) {
        Some((unit, name)) => scaled(bytes, *unit, name),
        None => format!("{bytes} B"),
    }
}

/// A number of operations.
fn operations(count: u64) -> String {
    let units = [
        (1_000_000_000_000, "Tflop"),
        (1_000_000_000, "Gflop"),
        (1_000_000, "Mflop"),
        (1_000, "kflop"),
    ];
    match units.iter().find(|it| count >= it.0) {
        Some((unit, name)) => scaled(count, *unit, name),
        None => format!("{count} flop"),
    }
}

/// With one digit after the point, where that is not 0.
fn scaled(count: u64, unit: u64, name: &str) -> String {
    let tenths = count.saturating_mul(10).saturating_add(unit / 2) / unit;
    match tenths % 10 {
        0 => format!("{} {name}", tenths / 10),
        tenth => format!("{}.{tenth} {name}", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none() -> Cost {
        Cost {
            entry: "k".to_owned(),
            head: None,
            trips: None,
            count: None,
            global_read: None,
            global_written: None,
            shared: None,
            fma: None,
            tensor: None,
            special: None,
            instructions: None,
            peak: None,
        }
    }

    #[test]
    fn only_what_is_known() {
        assert_eq!(cost(&none()), "");
        let known = Cost {
            trips: Some("8".to_owned()),
            count: Some(8),
            global_read: Some(4096),
            global_written: Some(0),
            shared: Some(0),
            fma: Some(0),
            tensor: Some(16_384),
            ..none()
        };
        assert_eq!(
            cost(&known),
            "8 iterations · 4 KB from global · 16.4 kflop · 4.0 flop/B"
        );
        // Without the bytes that are written there is no intensity.
        let unknown = Cost {
            global_written: None,
            shared: Some(1_500),
            ..known
        };
        assert_eq!(
            cost(&unknown),
            "8 iterations · 4 KB from global · 1.5 KB in shared · 16.4 kflop"
        );
        let expression = Cost {
            trips: Some("k_param_3/128".to_owned()),
            fma: Some(999),
            tensor: Some(0),
            ..none()
        };
        assert_eq!(cost(&expression), "param_3/128 iterations · 999 flop");
        let once = Cost {
            trips: Some("1".to_owned()),
            count: Some(1),
            ..none()
        };
        assert_eq!(cost(&once), "1 iteration");
    }
}
