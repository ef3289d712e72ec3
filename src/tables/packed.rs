//! States in compressed form and values as JSON, as the database keeps them.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use super::Refused;

/// Compresses a state.
pub fn pack(state: &str) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(state.as_bytes()).expect("writing to memory does not fail");
    encoder.finish().expect("writing to memory does not fail")
}

/// The state again.
pub fn unpack(packed: &[u8]) -> Result<String, Refused> {
    let mut state = String::new();
    ZlibDecoder::new(packed)
        .read_to_string(&mut state)
        .map_err(|error| Refused::Broken(format!("a stored state cannot be unpacked: {error}")))?;
    Ok(state)
}

/// A text to store. Everything that is stored this way is made of texts, numbers, lists and maps.
pub fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("reports, throws and leavers are always JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_survives_packing_and_damage_is_told() {
        let state = r#"{"turn":3,"pieces":["A1","A1","A1","A1","A1","A1"]}"#;
        let packed = pack(state);
        assert_eq!(unpack(&packed).unwrap(), state);
        assert!(matches!(unpack(&packed[..packed.len() / 2]), Err(Refused::Broken(_))));
    }
}
