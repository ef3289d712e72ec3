//! The dice fall the same for ever: a record written by one version replays in every other.
//!
//! The values below come from a ChaCha20 written apart from this project, keyed by the secret, with the
//! phase's number as the stream, two words a draw, low word first.

use stardate_engine::rules::Dice;

fn counting_secret() -> [u8; 32] {
    std::array::from_fn(|at| u8::try_from(at).unwrap())
}

fn rolls(dice: &mut Dice, count: usize, high: i64) -> Vec<i64> {
    let low = if high == 6 { 1 } else { 0 };
    (0..count).map(|_| dice.roll("golden", low, high)).collect()
}

#[test]
fn rolls_are_those_of_the_stream_of_their_phase() {
    let cases = [
        (Dice::for_phase(&[7; 32], 0), [5, 5, 1, 5, 6, 2, 4, 1, 2, 5, 3, 5], [66, 59, 77, 9]),
        (Dice::for_phase(&[7; 32], 3), [4, 4, 2, 5, 1, 5, 6, 2, 2, 6, 5, 4], [98, 53, 79, 50]),
        (Dice::for_phase(&counting_secret(), 3), [4, 2, 4, 4, 4, 1, 4, 6, 6, 1, 1, 1], [39, 66, 93, 73]),
        (Dice::for_seating(&counting_secret()), [2, 1, 4, 1, 6, 1, 1, 1, 3, 2, 2, 1], [53, 26, 47, 12]),
    ];
    for (mut dice, sixes, hundreds) in cases {
        assert_eq!(rolls(&mut dice, 12, 6), sixes);
        assert_eq!(rolls(&mut dice, 4, 99), hundreds);
    }
}

#[test]
fn shuffles_are_fisher_yates_from_the_end() {
    let cases = [
        (Dice::for_phase(&[7; 32], 0), [5, 2, 7, 1, 3, 0, 6, 4]),
        (Dice::for_phase(&[7; 32], 3), [6, 2, 4, 0, 5, 1, 3, 7]),
        (Dice::for_phase(&counting_secret(), 3), [2, 6, 4, 5, 0, 3, 7, 1]),
        (Dice::for_seating(&counting_secret()), [7, 6, 0, 1, 2, 3, 4, 5]),
    ];
    for (mut dice, shuffled) in cases {
        let mut items = [0, 1, 2, 3, 4, 5, 6, 7];
        dice.shuffle("golden", &mut items);
        assert_eq!(items, shuffled);
    }
}

#[test]
fn the_commitment_is_the_sha_256_of_the_secret() {
    let hash = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd";
    assert_eq!(Dice::commitment(&counting_secret()), hash);
}

#[test]
fn where_there_is_nothing_to_throw_nothing_is_thrown() {
    let mut dice = Dice::for_phase(&[7; 32], 0);
    assert_eq!(dice.roll("fixed", 4, 4), 4);
    assert_eq!(dice.roll("upside down", 4, 2), 4);
    assert_eq!(dice.pick("one of one", 1), 0);
    assert!(dice.throws().is_empty());
    assert_eq!(dice.roll("golden", 1, 6), 5, "the stream has not moved");
    assert_eq!(dice.throws().len(), 1);
}

#[test]
fn every_value_in_a_range_comes_up_and_none_beyond() {
    let mut dice = Dice::for_phase(&[1; 32], 9);
    let mut seen = [false; 7];
    for _ in 0..400 {
        let value = usize::try_from(dice.roll("range", 2, 6)).unwrap();
        seen[value] = true;
    }
    assert_eq!(seen, [false, false, true, true, true, true, true]);
}
