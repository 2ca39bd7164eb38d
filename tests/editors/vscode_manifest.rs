//! The manifest of the VS Code extension agrees with the server, and so do the types of its requests.

mod vscode_protocol;

use std::{collections::BTreeMap, fs, process::Command};

use analysis::DIAGNOSTIC_CODES;
use ptx_tests::workspace::top;
use serde_json::{Value, json};
use server::config::{SECTION, SETTINGS, SettingType};

fn manifest() -> Value {
    let path = top().join("editors/vscode/package.json");
    let text = fs::read_to_string(path).expect("the manifest exists");
    serde_json::from_str(&text).expect("the manifest is JSON")
}

/// The required entries of a setting in the manifest, besides its words.
fn schema(ty: SettingType, default: &Value) -> Value {
    match ty {
        SettingType::Bool => json!({ "type": "boolean", "default": default }),
        // The settings page offers a text field for a plain string only; the server takes an empty one for null.
        SettingType::OptionalString => {
            assert!(default.is_null());
            json!({ "type": "string", "default": "" })
        }
        SettingType::OptionalInteger { min, max } => json!({
            "type": ["integer", "null"], "default": default, "minimum": min, "maximum": max,
        }),
        SettingType::Targets => json!({
            "type": "array", "items": { "type": "string", "pattern": "^sm_[0-9]+[af]?$" },
            "default": default,
        }),
        SettingType::Globs => json!({
            "type": "array", "items": { "type": "string" }, "default": default,
        }),
        SettingType::Levels(levels) => json!({
            "type": "object", "default": default,
            "propertyNames": {
                "enum": DIAGNOSTIC_CODES.iter().map(|it| it.name).collect::<Vec<_>>(),
            },
            "additionalProperties": { "type": "string", "enum": levels },
        }),
        SettingType::Choice(choices) => json!({
            "type": "string", "enum": choices, "default": default,
        }),
    }
}

#[test]
fn settings_are_the_servers() {
    let manifest = manifest();
    let properties = manifest["contributes"]["configuration"]["properties"]
        .as_object()
        .expect("the manifest has settings");
    let mut stated = BTreeMap::new();
    for (name, property) in properties {
        let name = name
            .strip_prefix(&format!("{SECTION}."))
            .expect("settings lie in the section");
        // These are about how the extension runs the server, and not for the server.
        if name.starts_with("server.") || name.starts_with("trace.") {
            continue;
        }
        let mut property = property.clone();
        let object = property.as_object_mut().expect("a setting is an object");
        for words in [
            "enumDescriptions",
            "markdownDescription",
            "order",
            "pattern",
            "patternErrorMessage",
            "scope",
        ] {
            object.remove(words);
        }
        stated.insert(name.to_owned(), property);
    }
    let expected: BTreeMap<_, _> = SETTINGS
        .iter()
        .map(|it| (it.name.to_owned(), schema(it.ty, &it.default())))
        .collect();
    assert_eq!(stated, expected);
}

#[test]
fn no_folder_names_programs() {
    let manifest = manifest();
    let properties = &manifest["contributes"]["configuration"]["properties"];
    let programs = [
        "server.path",
        "server.extraEnv",
        "ptxas.path",
        "ptxas.nvdisasmPath",
    ];
    for name in programs {
        // A setting of the machine is not read from the folder.
        let scope = &properties[format!("{SECTION}.{name}")]["scope"];
        assert_eq!(scope, "machine", "{name}");
    }
    let paths = SETTINGS
        .iter()
        .filter(|it| it.name.to_lowercase().ends_with("path"));
    for setting in paths {
        assert!(programs.contains(&setting.name), "{}", setting.name);
    }
}

#[test]
fn the_readme_of_the_extension_lists_the_settings() {
    let readme = fs::read_to_string(top().join("editors/vscode/README.md")).expect("it exists");
    for setting in SETTINGS {
        let row = format!("| `{SECTION}.{}`", setting.name);
        assert!(readme.contains(&row), "{row}");
    }
}

#[test]
fn the_example_has_the_two_mistakes_that_it_promises() {
    let output = Command::new(ptx_tests::binary::build("dev"))
        .args(["check", "--format", "json"])
        .arg(top().join("editors/vscode/walkthrough/example.ptx"))
        .output()
        .expect("the program runs");
    let found: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let codes: Vec<_> = found.iter().map(|it| &it["code"]).collect();
    assert_eq!(codes, ["undefined-name", "modifier-required"]);
}

#[test]
fn version_is_the_workspaces() {
    assert_eq!(manifest()["version"], env!("CARGO_PKG_VERSION"));
}
