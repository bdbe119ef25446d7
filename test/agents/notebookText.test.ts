/** What the cells of a notebook hand to a shell, to a database and to interpreters, by rows. */
import { describe, expect, test } from "vitest";
import { cellTexts } from "../../src/agents/notebookText";
import { canonicalName, readFacets } from "../../src/agents/toolFacts";

const run = (body: string) => `<<'CELL_TEXT'\n${body}\nCELL_TEXT\n`;

describe("commands", () => {
  test.each<[string, readonly string[]]>([
    ["!rm -rf src", ["rm -rf src"]],
    ["  !rm -rf src", ["rm -rf src"]],
    ["!!rm -rf src", ["rm -rf src"]],
    ["files = !rm -rf src", ["rm -rf src"]],
    ["out = %sx rm -rf src", ["rm -rf src"]],
    ["%system rm -rf src", ["rm -rf src"]],
    ["%time !rm -rf src", ["rm -rf src"]],
    ["%timeit -n 1 -r 1 !rm -rf src", ["rm -rf src"]],
    ["!rm \\\n  -rf src", ["rm    -rf src"]],
    ["%rm -rf src", ["rm -rf src"]],
    ["%pip install pandas", ["pip install pandas"]],
    ["%run tools/x.py --all", ["python3 tools/x.py --all"]],
    ["%%bash\nrm -rf src\n", ["rm -rf src\n"]],
    ["\n# notes\n%%sh\nrm -rf src", ["rm -rf src"]],
    ["%%!\nrm -rf src", ["rm -rf src"]],
    ["%%bash --no-raise-error\nrm -rf src", ["rm -rf src"]],
    ["%%script bash -e\nrm -rf src", [`bash -e ${run("rm -rf src")}`]],
    ["%%perl\nunlink 'a'", [`perl ${run("unlink 'a'")}`]],
    ["%%capture out\n!rm -rf src", ["rm -rf src"]],
    ["%%time\nx = 1", [`python3 ${run("x = 1")}`]],
    ["%%writefile .git/hooks/pre-commit\nrm", [`cat > '.git/hooks/pre-commit' ${run("rm")}`]],
    ["%%writefile -a x.sh\nrm", [`cat > 'x.sh' ${run("rm")}`]],
    ["x = 1\n!ls\nprint(x)", ["ls", `python3 ${run("x = 1\nprint(x)")}`]],
    ["%matplotlib inline\nx = a != b", [`python3 ${run("x = a != b")}`]],
    ["%%html\n<b>rm -rf src</b>", []],
    ["%load_ext sql", []],
  ])("%j", (text, commands) => expect(cellTexts(text, "python3").commands).toEqual(commands));
});

describe("SQL", () => {
  test.each<[string, readonly string[]]>([
    ["%sql DROP TABLE a", ["DROP TABLE a"]],
    ["%%sql\nDROP TABLE a;\nSELECT 1", ["DROP TABLE a;\nSELECT 1"]],
    ["%%sql sqlite:///a.db\nDROP TABLE a", ["DROP TABLE a"]],
    ["%%sql --save q postgresql://u@h/d\nDELETE FROM a", ["DELETE FROM a"]],
    ["%sql result << SELECT 1", ["SELECT 1"]],
    ["%%bigquery df --project p\nDROP TABLE a", ["df --project p\nDROP TABLE a"]],
    ["%%sparksql\nTRUNCATE TABLE a", ["TRUNCATE TABLE a"]],
    ["%sql sqlite:///a.db", []],
    ["x = 1 % sql", []],
  ])("%j", (text, sql) => expect(cellTexts(text, "python3").sql).toEqual(sql));

  test.each([
    ["edit_notebook_file", "newCode", 1],
    ["NotebookEdit", "new_source", 1],
    ["mcp__jupyter__execute_code", "code", 1],
    // A file that is written runs nothing.
    ["create_file", "content", 0],
    ["mcp__fs__write_file", "content", 0],
  ])("%s reads it in %s: %i", (toolName, arg, count) => {
    const args = { filePath: "a.ipynb", [arg]: "%sql DROP TABLE a" };
    const facets = readFacets({ toolName, canonicalName: canonicalName(toolName), extra: {} }, args);
    expect(facets.sql.filter(({ text }) => text === "DROP TABLE a")).toHaveLength(count);
  });
});
