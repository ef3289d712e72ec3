//! The dice of the tables are fair.

use std::collections::BTreeMap;

use stardate_engine::rules::Dice;

use super::{game, secret};

const TABLES: u64 = 1_000;
const PER_TABLE: u64 = 600;

/// 99.9 % of fair dice stay below this chi-squared figure with five degrees of freedom.
const CHI_SQUARED: f64 = 20.52;

#[test]
fn six_hundred_thousand_dice_of_a_thousand_tables_are_fair() {
    let mut faces = [0_u64; 6];
    let mut pairs = [0_u64; 36];
    for table in 0..TABLES {
        let mut before = None;
        for phase in 0..PER_TABLE / 60 {
            let mut dice = Dice::for_phase(&secret(table), u32::try_from(phase).unwrap());
            for _ in 0..60 {
                let face = usize::try_from(dice.roll("a die", 1, 6)).unwrap() - 1;
                faces[face] += 1;
                if let Some(before) = before.replace(face) {
                    pairs[6 * before + face] += 1;
                }
            }
        }
    }
    let total: u64 = faces.iter().sum();
    assert_eq!(total, 600_000);
    let chi = chi_squared(&faces);
    assert!(chi < CHI_SQUARED, "chi-squared {chi:.2} of {faces:?}");
    // Neither does a die depend on the one before: 35 degrees of freedom, 99.9 % below 66.6.
    let chi = chi_squared(&pairs);
    assert!(chi < 66.62, "chi-squared {chi:.2} of {pairs:?}");
}

fn chi_squared(counts: &[u64]) -> f64 {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    counts.iter().map(|count| (*count as f64 - expected).powi(2) / expected).sum()
}

/// The engine's own comparison of three dice against two, over many rolls of attacks.
#[test]
fn three_dice_against_two_end_as_they_should() {
    let given: toml::Table = "rest = \"B9999\"\nphase = \"attack\"\ncountries = { ALA = \"A9999\" }".parse().unwrap();
    let state = game().given(&given).unwrap();
    let mut ends = [0_u64; 3];
    // A thousand tables of five attacks, each rolled until 9,900 armies are left: about 55 rolls of three against two.
    for table in 0..1_000 {
        let plots = BTreeMap::from([(stardate_engine::rules::Seat::A, "attack ALA KAM until 9850".to_owned())]);
        let step =
            game().resolve(&state, &plots, game().meta().edition, &mut Dice::for_phase(&secret(table), 1)).unwrap();
        for entry in step.report {
            let Some(rolled) = entry.event.get("rolled") else { continue };
            match (rolled["attacker_lost"].as_u64(), rolled["defender_lost"].as_u64()) {
                (Some(0), Some(2)) => ends[0] += 1,
                (Some(2), Some(0)) => ends[1] += 1,
                (Some(1), Some(1)) => ends[2] += 1,
                other => panic!("three dice against two cost {other:?}"),
            }
        }
    }
    let total: u64 = ends.iter().sum();
    assert!(total > 100_000, "only {total} rolls");
    for (found, wanted) in ends.iter().zip([37.17, 29.26, 33.58]) {
        let share = *found as f64 * 100.0 / total as f64;
        assert!((share - wanted).abs() < 0.2, "{share:.2} % where {wanted} % are right, of {total} rolls");
    }
}
