//! The documents, and the paths that are looked up in each.

use std::io::Read;
use std::{fs, path::Path, process::Command};

pub struct Document {
    pub name: &'static str,
    pub text: Vec<u8>,
    pub paths: Vec<Vec<Step>>,
}

/// A step of a path: a key of an object, or the index of an item if there is one.
pub struct Step {
    pub key: String,
    pub index: Option<usize>,
}

/// Paths in which a step * is each index below the count, by document.
const PATTERNS: [(&str, &[(&str, usize)]); 5] = [
    (
        "canada_geometry",
        &[
            ("features/0/geometry/coordinates/*/0/1", 480),
            ("features/0/properties/name", 1),
        ],
    ),
    (
        "citm_catalog",
        &[
            ("performances/*/seatCategories/0/areas/1/areaId", 243),
            ("performances/*/prices/1/amount", 243),
            ("performances/*/venueCode", 243),
            ("events/138586341/name", 1),
            ("events/138586743/topicIds/0", 1),
            ("events/342742596/subTopicIds/1", 1),
            ("events/0/name", 1),
            ("areaNames/205705999", 1),
        ],
    ),
    (
        "golang_source",
        &[
            ("tree/kids/0/kids/0/kids/*/touches", 22),
            ("tree/kids/0/kids/0/kids/*/kids/0/name", 22),
            ("tree/kids/0/kids/0/kids/*/kids/1/kids/0/cl_weight", 22),
            ("username", 1),
        ],
    ),
    (
        "synthea_fhir",
        &[
            ("entry/*/resource/resourceType", 926),
            ("entry/*/resource/code/coding/0/display", 926),
            ("entry/*/resource/valueQuantity/value", 926),
        ],
    ),
    (
        "twitter_status",
        &[
            ("statuses/*/user/screen_name", 100),
            ("statuses/*/user/followers_count", 100),
            ("statuses/*/entities/hashtags/0/text", 100),
            ("statuses/*/retweeted_status/id", 100),
            ("search_metadata/count", 1),
        ],
    ),
];

/// Reads the documents from the module that go.mod in the folder names.
pub fn read(peers: &str) -> Result<Vec<Document>, String> {
    let module = "github.com/bytedance/sonic";
    let out = Command::new("go")
        .args(["-C", peers, "list", "-m", "-f", "{{.Dir}}", module])
        .env("GOWORK", "off") // the workspace does not have peers
        .output()
        .map_err(|e| format!("go: {e}"))?;
    let folder = String::from_utf8_lossy(&out.stdout).trim().to_string();
    if !out.status.success() {
        return Err(format!(
            "go list -m {module}: {}",
            String::from_utf8_lossy(&out.stderr).trim()
        ));
    }
    if folder.is_empty() {
        return Err(format!(
            "{module} is not in the module cache; run make deps"
        ));
    }
    PATTERNS
        .iter()
        .map(|&(name, patterns)| document(&folder, name, patterns))
        .collect()
}

fn document(
    folder: &str,
    name: &'static str,
    patterns: &[(&str, usize)],
) -> Result<Document, String> {
    let file = Path::new(folder)
        .join("testdata")
        .join(format!("{name}.json.gz"));
    let packed = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(&packed[..])
        .read_to_end(&mut text)
        .map_err(|e| format!("{}: {e}", file.display()))?;
    let paths = patterns
        .iter()
        .flat_map(|&(pattern, count)| {
            (0..count).map(move |i| path(&pattern.replace('*', &i.to_string())))
        })
        .collect();
    Ok(Document { name, text, paths })
}

/// Numbers of up to 6 digits are indexes: keys of the documents that are numbers have 9.
fn path(text: &str) -> Vec<Step> {
    text.split('/')
        .map(|s| Step {
            key: s.into(),
            index: if s.len() <= 6 { s.parse().ok() } else { None },
        })
        .collect()
}
