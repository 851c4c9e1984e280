import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const COLUMNS = ["family", "way", "tools", "thoughts kept", "effort", "images", "caching", "limits"];
/** Each family and way in which people reach it. */
const ROWS = [
  "OpenAI, Responses",
  "OpenAI, chat completions",
  "Azure, version v1",
  "Anthropic, Messages",
  "Gemini, Gemini API",
  "Gemini, compatible servers",
  "all, OpenRouter",
  "all, Hugging Face",
  "all, Ollama",
  "gpt-oss, vLLM",
  "Qwen, vLLM",
  "all, llama.cpp",
  "DeepSeek, its API",
  "Mistral, its API",
  "Kimi, Moonshot",
  "MiniMax, its API",
  "GLM, Z.ai",
];
/** Where there is nothing to show, and why is said below the table. */
const WITHOUT_CASE: Record<string, readonly string[]> = {
  "thoughts kept": ["not given"],
  effort: ["by its address"],
  images: ["not read"],
  caching: ["by itself", "none"],
};

function readTable(): string[][] {
  const [, section = ""] = readFileSync("docs/models.md", "utf8").split("\n## Families\n");
  const lines = section
    .slice(0, section.indexOf("\n## "))
    .split("\n")
    .filter((line) => line.startsWith("|"));
  const rows = lines.map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
  return rows.filter((_, at) => at !== 1);
}

const [header = [], ...rows] = readTable();

it("docs/models.md has a row for each family and way", () => {
  expect(header).toEqual(COLUMNS);
  expect(rows.map(([family, way]) => `${family}, ${way}`)).toEqual(ROWS);
});

it.each(
  rows.flatMap((row) =>
    COLUMNS.slice(2).map((name, at) => [`${row[0]}, ${row[1]}`, name, row[at + 2] ?? ""]),
  ),
)("%s: %s is shown by %s", (_, name, cell) => {
  if (WITHOUT_CASE[name]?.includes(cell)) return;
  const missing = cell
    .split(", ")
    .filter((one) => !existsSync(`tests/fixtures/streams/replays/${one}.replay`));
  expect(missing).toEqual([]);
});
