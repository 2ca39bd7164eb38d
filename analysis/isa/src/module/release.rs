//! Which CUDA release brought which version of the PTX ISA: the release history of the manual, and for 9.5
//! what ptxas 13.5 says of itself.

use crate::target::Version;

/// A CUDA release, or a driver without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// The newest version of PTX ISA that it reads.
    pub version: Version,
    /// Major and minor number of the CUDA release; none if a driver alone brought the version.
    pub cuda: Option<(u8, u8)>,
    /// The branch of the driver that came with it; none if the history names none.
    pub driver: Option<u16>,
}

const fn row(major: u8, minor: u8, cuda: Option<(u8, u8)>, driver: Option<u16>) -> Release {
    let version = Version::new(major, minor);
    Release {
        version,
        cuda,
        driver,
    }
}

/// Every release, ascending. PTX ISA 5.1 was never released, though ptxas reads it.
#[rustfmt::skip]
pub const RELEASES: &[Release] = &[
    row(1, 0, Some((1, 0)), None),
    row(1, 1, Some((1, 1)), None),
    row(1, 2, Some((2, 0)), None),
    row(1, 3, Some((2, 1)), None),
    row(1, 4, Some((2, 2)), None),
    row(1, 5, None, Some(190)),
    row(2, 0, Some((3, 0)), Some(195)),
    row(2, 1, Some((3, 1)), Some(256)),
    row(2, 2, Some((3, 2)), Some(260)),
    row(2, 3, Some((4, 0)), Some(270)),
    row(3, 0, Some((4, 1)), Some(285)),
    row(3, 0, Some((4, 2)), Some(295)),
    row(3, 1, Some((5, 0)), Some(302)),
    row(3, 2, Some((5, 5)), Some(319)),
    row(4, 0, Some((6, 0)), Some(331)),
    row(4, 1, Some((6, 5)), Some(340)),
    row(4, 2, Some((7, 0)), Some(346)),
    row(4, 3, Some((7, 5)), Some(352)),
    row(5, 0, Some((8, 0)), Some(361)),
    row(6, 0, Some((9, 0)), Some(384)),
    row(6, 1, Some((9, 1)), Some(387)),
    row(6, 2, Some((9, 2)), Some(396)),
    row(6, 3, Some((10, 0)), Some(400)),
    row(6, 4, Some((10, 1)), Some(418)),
    row(6, 5, Some((10, 2)), Some(440)),
    row(7, 0, Some((11, 0)), Some(445)),
    row(7, 1, Some((11, 1)), Some(455)),
    row(7, 2, Some((11, 2)), Some(460)),
    row(7, 3, Some((11, 3)), Some(465)),
    row(7, 4, Some((11, 4)), Some(470)),
    row(7, 5, Some((11, 5)), Some(495)),
    row(7, 6, Some((11, 6)), Some(510)),
    row(7, 7, Some((11, 7)), Some(515)),
    row(7, 8, Some((11, 8)), Some(520)),
    row(8, 0, Some((12, 0)), Some(525)),
    row(8, 1, Some((12, 1)), Some(530)),
    row(8, 2, Some((12, 2)), Some(535)),
    row(8, 3, Some((12, 3)), Some(545)),
    row(8, 4, Some((12, 4)), Some(550)),
    row(8, 5, Some((12, 5)), Some(555)),
    row(8, 5, Some((12, 6)), Some(560)),
    row(8, 6, Some((12, 7)), Some(565)),
    row(8, 7, Some((12, 8)), Some(570)),
    row(8, 8, Some((12, 9)), Some(575)),
    row(9, 0, Some((13, 0)), Some(580)),
    row(9, 1, Some((13, 1)), Some(590)),
    row(9, 2, Some((13, 2)), Some(595)),
    row(9, 3, Some((13, 3)), Some(610)),
    row(9, 4, Some((13, 4)), Some(615)),
    row(9, 5, Some((13, 5)), None),
];

/// The releases that brought a version.
pub fn of(version: Version) -> impl Iterator<Item = &'static Release> {
    RELEASES.iter().filter(move |it| it.version == version)
}

/// The first release that reads a version.
#[must_use]
pub fn first(version: Version) -> Option<&'static Release> {
    RELEASES.iter().find(|it| it.version >= version)
}

/// The releases of a version as a phrase: `CUDA 12.5 and 12.6, driver branches 555 and 560`; empty if there
/// are none.
#[must_use]
pub fn phrase(version: Version) -> String {
    let cuda: Vec<String> = of(version)
        .filter_map(|it| it.cuda)
        .map(|(major, minor)| format!("{major}.{minor}"))
        .collect();
    let drivers: Vec<String> = of(version)
        .filter_map(|it| it.driver)
        .map(|it| it.to_string())
        .collect();
    let plural = if drivers.len() > 1 { "es" } else { "" };
    let drivers = drivers.join(" and ");
    match (cuda.is_empty(), drivers.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!("Driver branch{plural} {drivers}"),
        (false, true) => format!("CUDA {}", cuda.join(" and ")),
        (false, false) => format!(
            "CUDA {}, driver branch{plural} {drivers}",
            cuda.join(" and ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        documentation::{Topic, entry},
        target::versions,
    };

    #[test]
    fn every_version_has_a_release() {
        assert!(RELEASES.is_sorted_by_key(|it| it.version));
        for version in versions().filter(|it| *it != Version::new(5, 1)) {
            assert!(of(version).next().is_some(), "{version}");
        }
        assert_eq!(first(Version::new(5, 1)).unwrap().cuda, Some((9, 0)));
    }

    /// The pages begin with the releases, so that a hover shows them.
    #[test]
    fn pages_of_versions_name_their_releases() {
        for version in versions() {
            let page = entry(Topic::Versions, &version.to_string()).unwrap();
            assert!(
                page.text.starts_with(&phrase(version)),
                "{version}: {}",
                page.text
            );
        }
    }
}
