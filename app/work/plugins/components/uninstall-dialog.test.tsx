import { expect, it } from "vitest";
import { rendered } from "../../../../tests/support/rendered";
import type { Plugin } from "../plugins.schema";
import { UninstallDialog } from "./uninstall-dialog";

const brings = { prompts: ["Summary", "Reply"], steps: [], templates: ["Weekly report"] };
const none = { prompts: [], steps: [], templates: [] };
const show = (
  kind: Plugin["kind"],
  plugin: Pick<Plugin, "brings">,
  personas: string[],
  workflows: string[],
) =>
  rendered(
    <UninstallDialog
      plugin={{ id: "notes", title: "Notes", kind, tools: [], ...plugin } as unknown as Plugin}
      users={{ personas, workflows }}
      closeTo="/extensions"
    />,
  );

it("says what is lost with a plugin: its contributions, and what uses its tools", async () => {
  const { text } = await show("bundled", { brings }, ["Ada", "Ben"], ["A", "B", "C", "D", "E", "F", "G"]);
  expect(text).toContain("Uninstall Notes?");
  expect(text).toContain("PromptsSummary, ReplyWorkflow templatesWeekly report");
  expect(text).toContain("Personas that continue without its tools: Ada and Ben.");
  expect(text).toContain("Workflows whose next run fails without its tools: A, B, C, D, E, and 2 more.");
});

it("says nothing of what a plugin doesn't have, and that a server's account is signed out", async () => {
  const { document, text } = await show("mcp", { brings: none }, [], []);
  expect(document.querySelector("dl"), "no list without contributions").toBeNull();
  expect(text).not.toMatch(/Personas that|Workflows whose/);
  expect(text).toContain("a connected account is signed out");
});
