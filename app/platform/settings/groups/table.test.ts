import { expect, it } from "vitest";
import type { Field } from "~/core/field.schema";
import { SETTINGS_GROUPS } from "./index.schema";

const shown = (value: unknown) => (value === "" ? "empty" : `\`${JSON.stringify(value)}\``);

function rowOf(group: string, name: string, { label, hint, fallback, appliedBy }: Field): string {
  const cells = [`\`${group}.${name}\``, label, hint, shown(fallback), appliedBy];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
}

const table = SETTINGS_GROUPS.map(({ id, label, fields }) => {
  const rows = Object.entries(fields as Record<string, Field>).map(([name, field]) => rowOf(id, name, field));
  return [
    `## ${label}`,
    "",
    "| setting | label | what it does | default | applied by |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
});

it("docs/settings.md lists every setting as defined by its group", async () => {
  const text = [
    "# Settings",
    "",
    "Every setting with its default and the feature that applies it. Generated from `app/platform/settings/groups`.",
    "",
    table.join("\n\n"),
    "",
  ].join("\n");
  const message = "Run `npx vitest run --project unit table.test -u` to update docs/settings.md";
  await expect(text, message).toMatchFileSnapshot("../../../../docs/settings.md");
});
