"""Holds recipes against what reads them.

usage: recipes.py conda RECIPE
       recipes.py mason ENTRY FOLDER

conda: rattler-build renders the recipe for this machine. mason: the entry is held against the schemas in a folder.
"""

import json
import sys
from pathlib import Path


def conda(recipe: str) -> None:
    from rattler_build import RenderConfig, Stage0Recipe, VariantConfig

    # conda-forge says which compilers these are.
    compilers = VariantConfig({"c_compiler": ["gcc"], "rust_compiler": ["rust"]})
    [variant] = Stage0Recipe.from_yaml(Path(recipe).read_text()).render(compilers, RenderConfig())
    made = variant.recipe.to_dict()
    assert made["package"]["name"] == "ptx-analyzer", made
    assert "{{" not in made["source"][0]["url"], made
    assert made["about"]["license"] == "MIT OR Apache-2.0", made


def mason(entry: str, folder: str) -> None:
    import jsonschema
    import referencing
    from ruamel.yaml import YAML

    # They refer to each other by the addresses that they give themselves.
    schemas = {path: json.loads(path.read_text()) for path in Path(folder).rglob("*.json")}
    named = [(it["$id"], referencing.Resource.from_contents(it)) for it in schemas.values() if "$id" in it]
    schema = schemas[Path(folder) / "package.schema.json"]
    validator = jsonschema.validators.validator_for(schema)(
        schema, registry=referencing.Registry().with_resources(named)
    )
    wrong = [f"{it.json_path}: {it.message}" for it in validator.iter_errors(YAML(typ="safe").load(Path(entry)))]
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    {"conda": conda, "mason": mason}[sys.argv[1]](*sys.argv[2:])
