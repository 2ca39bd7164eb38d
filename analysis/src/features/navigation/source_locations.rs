//! The way from PTX to the source that it was made from, through `.loc` and `.file`, and back.

use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextRange, TextSize};

use crate::{
    DocumentLink, FilePosition, RangeInfo, SourceLines, SourceLocation,
    db::SourceFile,
    diagnostics::locations_of,
    hir::{
        items::{item_offsets, items},
        number::integer,
        symbol::{ItemAt, item_at},
        tree::{node_at, trimmed},
    },
};

/// More links than this in one file are left out; editors keep all of them.
const MAX_LINKS: usize = 5_000;

/// The source of each instruction of a function: the number of its file, line and column, as the last `.loc` before it
/// says.
pub(crate) fn instruction_locations(function: &Cursor<'_>) -> Vec<Option<[u32; 3]>> {
    let mut found = Vec::new();
    let mut current = None;
    each_statement(function, &mut |statement| {
        match statement.kind() {
            SyntaxKind::LOC_DIRECTIVE => current = locations_of(statement).0,
            SyntaxKind::INSTRUCTION => found.push(current),
            _ => {}
        }
        true
    });
    found
}

/// The paths of a file's `.file` directives by their indices.
pub(crate) fn paths(db: &dyn Database, file: SourceFile) -> FxHashMap<u32, &str> {
    let mut paths = FxHashMap::default();
    for item in items(db, file).module.items(db) {
        let cursor = item.green.cursor();
        if cursor.kind() == SyntaxKind::FILE_DIRECTIVE
            && let Some((index, _, path)) = file_directive(&cursor)
        {
            paths.entry(index).or_insert(path);
        }
    }
    paths
}

/// Index and path of a `.file`, and where the path is without its quotes.
fn file_directive<'a>(node: &Cursor<'a>) -> Option<(u32, TextRange, &'a str)> {
    let index = node.node(SyntaxKind::LITERAL)?;
    let index = integer(index.token(SyntaxKind::INTEGER)?.text())?;
    let path = node.token(SyntaxKind::STRING)?;
    let text = path.text().strip_prefix('"')?.strip_suffix('"')?;
    let range = TextRange::at(path.range().start() + TextSize::from(1), TextSize::of(text));
    // ptxas cuts off what exceeds 32 bits.
    (!text.is_empty()).then_some((index as u32, range, text))
}

/// The files that a file names: in `.file` directives, and by their indices in `.loc` directives.
pub(crate) fn document_links(db: &dyn Database, file: SourceFile) -> Vec<DocumentLink> {
    let contents = file.contents(db);
    let paths = paths(db, file);
    let mut links = Vec::new();
    if paths.is_empty() {
        return links;
    }
    for item in contents.tree.cursor().nodes() {
        db.unwind_if_revision_cancelled();
        match item.kind() {
            SyntaxKind::FILE_DIRECTIVE => {
                links.extend(file_directive(&item).map(|(_, range, path)| DocumentLink {
                    range,
                    path: path.to_owned(),
                    line: None,
                }));
            }
            SyntaxKind::FUNCTION if links.len() < MAX_LINKS => {
                each_statement(&item, &mut |statement| {
                    if statement.kind() == SyntaxKind::LOC_DIRECTIVE
                        && links.len() < MAX_LINKS
                        && let Some([index, line, _]) = locations_of(statement).0
                        && let Some(path) = paths.get(&index)
                        && let Some(number) = statement.node(SyntaxKind::LITERAL)
                    {
                        links.push(DocumentLink {
                            range: trimmed(&number),
                            path: (*path).to_owned(),
                            line: Some(line),
                        });
                    }
                    links.len() < MAX_LINKS
                });
            }
            _ => {}
        }
    }
    links
}

/// The source of the instruction whose opcode is at a position, or of the `.loc` there.
pub(crate) fn source_locations(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Option<RangeInfo<Vec<SourceLocation>>> {
    let (range, [own, inlined_at]) = locations_at(db, file, at)?;
    let paths = paths(db, file);
    let locations: Vec<SourceLocation> = [own, inlined_at]
        .into_iter()
        .flatten()
        .filter_map(|[index, line, column]| {
            Some(SourceLocation {
                path: (*paths.get(&index)?).to_owned(),
                line,
                column,
            })
        })
        .collect();
    (!locations.is_empty()).then_some(RangeInfo {
        range,
        info: locations,
    })
}

/// The `.loc` directives of the functions of a file with the places that they name, in the order of the text: where
/// the directive begins, its own place, and the one into which that was inlined. A function begins with none.
pub(crate) fn located(
    db: &dyn Database,
    file: SourceFile,
) -> Vec<(TextSize, [Option<SourceLocation>; 2])> {
    let paths = paths(db, file);
    let place = |it: Option<[u32; 3]>| {
        let [index, line, column] = it?;
        Some(SourceLocation {
            path: (*paths.get(&index)?).to_owned(),
            line,
            column,
        })
    };
    let mut found = Vec::new();
    let offsets = item_offsets(db, file);
    for (function, start) in items(db, file).functions.iter().zip(&offsets.functions) {
        db.unwind_if_revision_cancelled();
        found.push((*start, [None, None]));
        each_statement(&function.green(db).cursor(), &mut |statement| {
            if statement.kind() == SyntaxKind::LOC_DIRECTIVE
                && let (Some(own), inlined_at) = locations_of(statement)
            {
                let at = statement.range().start() + *start;
                found.push((at, [place(Some(own)), place(inlined_at)]));
            }
            true
        });
    }
    found
}

/// All instructions of the file that come from the source line of the one at a position.
pub(crate) fn same_source_line(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Option<SourceLines> {
    let (_, [own, _]) = locations_at(db, file, at)?;
    let [index, line, _] = own?;
    let path = (*paths(db, file).get(&index)?).to_owned();
    let ranges = instructions_of(db, file, line)
        .remove(&index)
        .unwrap_or_default();
    Some(SourceLines { path, line, ranges })
}

/// All instructions of the file that come from the line with this number, counted from 1, of each of
/// the source files that have such instructions.
pub(crate) fn instructions_of_line(
    db: &dyn Database,
    file: SourceFile,
    line: u32,
) -> Vec<SourceLines> {
    let paths = paths(db, file);
    if paths.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<_> = instructions_of(db, file, line).into_iter().collect();
    found.sort_unstable_by_key(|it| it.0);
    found
        .into_iter()
        .filter_map(|(index, ranges)| {
            let path = (*paths.get(&index)?).to_owned();
            Some(SourceLines { path, line, ranges })
        })
        .collect()
}

/// Runs of instructions that come from the line with this number, by the index of the source file.
fn instructions_of(
    db: &dyn Database,
    file: SourceFile,
    line: u32,
) -> FxHashMap<u32, Vec<TextRange>> {
    let mut found: FxHashMap<u32, Vec<TextRange>> = FxHashMap::default();
    let offsets = item_offsets(db, file);
    for (function, start) in items(db, file).functions.iter().zip(&offsets.functions) {
        db.unwind_if_revision_cancelled();
        // The file whose line the statements come from, and whether those before them do without a gap.
        let (mut inside, mut run) = (None, false);
        each_statement(&function.green(db).cursor(), &mut |statement| {
            match statement.kind() {
                SyntaxKind::LOC_DIRECTIVE => {
                    if let Some([its_index, its_line, _]) = locations_of(statement).0 {
                        let now = (its_line == line).then_some(its_index);
                        run &= now == inside;
                        inside = now;
                    }
                }
                SyntaxKind::INSTRUCTION => {
                    if let Some(index) = inside {
                        let range = trimmed(statement) + *start;
                        let ranges = found.entry(index).or_default();
                        match ranges.last_mut() {
                            Some(last) if run => *last = last.cover(range),
                            _ => ranges.push(range),
                        }
                        run = true;
                    }
                }
                _ => {}
            }
            true
        });
    }
    found
}

/// The source location at the position, with the location in force and the one that it is inlined at; each is
/// file index, line and column.
fn locations_at(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Option<(TextRange, [Option<[u32; 3]>; 2])> {
    let ItemAt::Function(function, start) = item_at(db, file, at.offset)? else {
        return None;
    };
    let cursor = function.green(db).cursor();
    let offset = at.offset - start;
    let directive = node_at(&cursor, SyntaxKind::LOC_DIRECTIVE, offset).map(|it| trimmed(&it));
    let range = directive
        .or_else(|| {
            let instruction = node_at(&cursor, SyntaxKind::INSTRUCTION, offset)?;
            Some(instruction.token(SyntaxKind::IDENT)?.range())
        })
        .filter(|it| it.contains_inclusive(offset))?;
    let mut found = [None, None];
    each_statement(&cursor, &mut |statement| {
        let is_before = statement.range().start() <= range.start();
        if is_before && statement.kind() == SyntaxKind::LOC_DIRECTIVE {
            let (own, inlined_at) = locations_of(statement);
            if own.is_some() {
                found = [own, inlined_at];
            }
        }
        is_before
    });
    found[0]?;
    Some((range + start, found))
}

/// Calls `act` for each statement of a function in the order of the text, until it says `false`; the
/// answer says whether it never did.
fn each_statement<'a>(node: &Cursor<'a>, act: &mut impl FnMut(&Cursor<'a>) -> bool) -> bool {
    node.nodes().all(|child| match child.kind() {
        SyntaxKind::BLOCK | SyntaxKind::STATEMENT_RUN => each_statement(&child, act),
        _ if node.kind() == SyntaxKind::STATEMENT_RUN => act(&child),
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::{FileId, FileRange, fixture::Fixture};

    const MODULE: &str = ".version 8.5
.target sm_90
.file 1 \"src/a.cu\"
.file 2 \"/usr/b.h\", 1, 2
.file 3 \"\"
.entry k {
.reg .b32 %r<4>;
LINE_0
.loc 1 10 3
add.s32 %r1, %r2, 1;
.loc 2 7 0, function_name $L0, inlined_at 1 11 5
{ sub.s32 %r1, %r2, 1; }
mul.lo.s32 %r1, %r2, 2;
.loc 3 1 1
.loc 9 1 1
neg.s32 %r1, %r2;
.loc 1 10 9
.loc_intermediate 1 2 3
not.b32 %r1, %r2;
.loc 1 10 12
@%p1 ret;
}
.entry n { clz.b32 a, b; }
";

    /// The module with a cursor before a text.
    #[track_caller]
    fn at(text: &str) -> Fixture {
        let module = MODULE.replace("LINE_0", "popc.b32 %r1, %r2;");
        assert_eq!(module.matches(text).count(), 1, "{text}");
        Fixture::new(&module.replace(text, &format!("$0{text}")))
    }

    #[track_caller]
    fn check(text: &str, expected: Expect) {
        let fixture = at(text);
        let (analysis, at) = fixture.cursor();
        let shown = match analysis.source_locations(at).unwrap() {
            None => "nothing".to_owned(),
            Some(found) => {
                let range = FileRange {
                    file: at.file,
                    range: found.range,
                };
                let places: Vec<String> = found
                    .info
                    .iter()
                    .map(|it| format!("{}:{}:{}", it.path, it.line, it.column))
                    .collect();
                format!("{} <- {}", fixture.show(range), places.join(", "))
            }
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn from_an_instruction_to_its_source() {
        check("add", expect!["10:1 add <- src/a.cu:10:3"]);
        check("sub", expect!["12:3 sub <- /usr/b.h:7:0, src/a.cu:11:5"]);
        check("mul", expect!["13:1 mul <- /usr/b.h:7:0, src/a.cu:11:5"]);
        check("not", expect!["19:1 not <- src/a.cu:10:9"]);
        check("ret", expect!["21:6 ret <- src/a.cu:10:12"]);
        // Before the first location, of a file without a name, and in another function.
        check("popc", expect!["nothing"]);
        check("neg", expect!["nothing"]);
        check("clz", expect!["nothing"]);
        // Operands have meanings of their own.
        check("%r2, 1; }", expect!["nothing"]);
    }

    #[test]
    fn from_a_location_to_the_source() {
        check(
            "2 7 0,",
            expect![
                "11:1 .loc 2 7 0, function_name $L0, inlined_at 1 11 5 <- /usr/b.h:7:0, src/a.cu:11:5"
            ],
        );
        check(
            ".loc 1 10 12",
            expect!["20:1 .loc 1 10 12 <- src/a.cu:10:12"],
        );
    }

    #[test]
    fn from_a_source_line_to_its_instructions() {
        let fixture = at("not");
        let (analysis, at) = fixture.cursor();
        let lines = analysis.same_source_line(at).unwrap().unwrap();
        assert_eq!((&*lines.path, lines.line), ("src/a.cu", 10));
        let shown: Vec<&str> = lines
            .ranges
            .iter()
            .map(|it| {
                fixture.text(FileRange {
                    file: at.file,
                    range: *it,
                })
            })
            .collect();
        expect![[r#"
            add.s32 %r1, %r2, 1;
            ---
            not.b32 %r1, %r2;
            .loc 1 10 12
            @%p1 ret;"#]]
        .assert_eq(&shown.join("\n---\n"));
    }

    #[test]
    fn from_a_line_to_its_instructions() {
        let fixture = at("not");
        let analysis = fixture.host.analysis();
        let show = |line| {
            let found = analysis.instructions_of_line(FileId(0), line).unwrap();
            let text = |range| {
                let file = FileId(0);
                fixture.text(FileRange { file, range })
            };
            let show = |it: crate::SourceLines| {
                let texts: Vec<_> = it.ranges.iter().map(|it| text(*it)).collect();
                format!("{}:{} {texts:?}", it.path, it.line)
            };
            found.into_iter().map(show).collect::<Vec<_>>().join("\n")
        };
        expect![[
            r#"src/a.cu:10 ["add.s32 %r1, %r2, 1;", "not.b32 %r1, %r2;\n.loc 1 10 12\n@%p1 ret;"]"#
        ]]
        .assert_eq(&show(10));
        expect![[r#"/usr/b.h:7 ["sub.s32 %r1, %r2, 1; }\nmul.lo.s32 %r1, %r2, 2;"]"#]]
            .assert_eq(&show(7));
        // Of a file without a name and of one that is not there.
        expect![[""]].assert_eq(&show(1));
    }

    #[test]
    fn links() {
        let fixture = at("not");
        let links = fixture.host.analysis().document_links(FileId(0)).unwrap();
        let lines: String = links
            .iter()
            .map(|it| {
                let range = FileRange {
                    file: FileId(0),
                    range: it.range,
                };
                format!("{} -> {} {:?}\n", fixture.show(range), it.path, it.line)
            })
            .collect();
        expect![[r#"
            3:10 src/a.cu -> src/a.cu None
            4:10 /usr/b.h -> /usr/b.h None
            9:6 1 -> src/a.cu Some(10)
            11:6 2 -> /usr/b.h Some(7)
            17:6 1 -> src/a.cu Some(10)
            20:6 1 -> src/a.cu Some(10)
        "#]]
        .assert_eq(&lines);
    }
}
