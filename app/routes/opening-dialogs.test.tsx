import { expect, it } from "vitest";
import { rendered } from "../../tests/support/rendered";
import RetrievalCheck from "./rag/check";
import Members from "./settings/members";
import Profile from "./settings/profile";
import Providers from "./settings/providers";

// A dialog's frame opens at once, while what it shows is still loading.

const NO_PAGES = { items: [], pageInfo: { page: 1, size: 20, total: 0 } };
const ada = { id: "usr_2", firstName: "Ada", lastName: "", email: "ada@example.com", role: "member" };
const members = {
  members: NO_PAGES,
  selected: ada,
  requests: NO_PAGES,
  links: NO_PAGES,
  total: 1,
  query: {},
  groups: [{ id: "grp_1", name: "Support", members: [], memberCount: 0 }],
  people: [],
  roles: ["member"],
  ownId: "usr_1",
  owned: [],
  pausing: [],
  organisation: { name: "Lab", timeZone: "UTC", updatedAt: 0 },
  timeZones: ["UTC"],
  refusal: null,
};
const MODEL = {
  id: "m1",
  name: "Model One",
  provider: "openai",
  source: "custom",
  maxTokens: 1,
  cost: { input: null, output: null },
  capabilities: [],
  added: true,
  downloads: null,
};
const providers = {
  edited: {},
  providers: [],
  types: [],
  keys: [],
  detected: [],
  health: [],
  routing: { policy: "priority", rules: [], fallbacks: [] },
  offered: [],
  imageModels: [],
  query: { filter: "all", search: "" },
  managed: [MODEL],
  managedTotal: 1,
  models: [],
};
const check = {
  query: { run: undefined, sort: "change", order: "asc", page: 1, list: 1 },
  questions: NO_PAGES,
  runs: [],
  mayWrite: true,
  missing: undefined,
};
const profile = {
  user: { ...ada, version: "1" },
  enterSends: true,
  hasPassword: false,
  factor: { authenticator: false, recoveryCodes: 0, passkeys: [] },
  offersPasskeys: true,
  preferences: { events: [], on: [] },
  push: { publicKey: "", browsers: [] },
  sessions: [],
  tokens: [],
  accounts: [],
  budgetWarnings: [],
  roles: ["member"],
  scopes: [],
  origin: "https://console.example.com",
  stays: undefined,
  owned: [],
  pausing: [],
};

it.each([
  ["/settings/members", "dialog=suspend&id=usr_2", "Suspend Ada?", Members, members],
  ["/settings/members", "dialog=remove&id=usr_2", "Remove Ada?", Members, members],
  ["/settings/members", "dialog=group&id=grp_1", "Edit Support", Members, members],
  ["/settings/members", "dialog=group", "Add Group", Members, members],
  ["/settings/providers", "dialog=add-model", "Add Custom Model", Providers, providers],
  ["/settings/providers", "dialog=edit-model&model=m1", "Edit Model One", Providers, providers],
  ["/settings/providers", "dialog=edit-model&model=gone", "Edit gone", Providers, providers],
  ["/settings/providers", "dialog=remove-model&model=m1", "Remove Model One?", Providers, providers],
  ["/settings/profile", "dialog=leave", "Leave the organization?", Profile, profile],
  ["/rag/check", "dialog=edit&id=que_1", "Edit Question", RetrievalCheck, check],
  ["/rag/check", "dialog=add", "Add Question", RetrievalCheck, check],
] as const)("%s?%s opens as %s before it has loaded", async (path, search, title, Page, data) => {
  const { document } = await rendered(<Page />, { at: path, loading: `${path}?${search}`, data });
  const dialogs = [...document.querySelectorAll("dialog")].map((dialog) => [
    dialog.querySelector("h2")?.textContent,
    dialog.querySelector('[role="status"]')?.getAttribute("aria-label"),
  ]);
  expect(dialogs, "one frame, with its title and bars").toEqual([[title, "Loading"]]);
});

it("opens no frame while another page of the section loads", async () => {
  const at = "/settings/members";
  const { document } = await rendered(<Members />, { at, loading: "/settings/profile", data: members });
  expect(document.querySelector("dialog")).toBeNull();
});

it.each(["suspend", "remove"])("names the workflows that pause if a member is to %s", async (dialog) => {
  const at = `/settings/members?dialog=${dialog}&id=usr_2`;
  const pausing = { ...members, pausing: [{ id: "wf_1", name: "Nightly report" }] };
  const shown = async (data: object) => (await rendered(<Members />, { at, data })).document;
  const text = (await shown(pausing)).querySelector("dialog")?.textContent;
  expect(text).toMatch(/1 workflow will pause.*Nightly report.*this member's rights/);
  expect((await shown(members)).querySelector("dialog")?.textContent).not.toContain("will pause");
});

it("says in the dialog that a question to delete is gone", async () => {
  const { document } = await rendered(<RetrievalCheck />, {
    at: "/rag/check?dialog=delete&id=que_gone",
    data: check,
  });
  expect(document.querySelector("dialog")?.textContent).toContain(
    "Question not foundIt may have been deleted.",
  );
});
