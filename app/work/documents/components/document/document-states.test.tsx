import { expect, it } from "vitest";
import { rendered } from "../../../../../tests/support/rendered";
import type { DocumentDetail, DocumentVersion } from "../../documents.schema";
import { DocumentState } from "../document-status";
import { SearchDialog } from "../search/search-dialog";
import { DocumentScreen } from "./document-screen";
import { VersionDialog } from "./version-dialog";
import { VersionsTab } from "./versions-tab";

const AT = "2026-11-27T09:00:00.000Z";
const version = (number: number): DocumentVersion => ({
  id: `ver_${number}`,
  number,
  state: number === 3 ? "served" : "replaced",
  error: null,
  size: 10,
  sha256: "ab".repeat(32),
  fileName: null,
  contentType: "text/markdown; charset=utf-8",
  finalUrl: null,
  title: null,
  textLength: 10,
  facts: { format: "text" },
  createdAt: AT,
  servedAt: AT,
});
const manual: DocumentDetail = {
  id: "doc_1",
  name: "Manual",
  content: "",
  status: "ready",
  error: null,
  canRetry: false,
  mayManage: true,
  chunks: 1,
  size: 10,
  notes: [],
  visibility: "organisation",
  progress: null,
  sameNameAs: null,
  parent: null,
  origin: null,
  attachments: [],
  createdAt: AT,
  updatedAt: AT,
  metadata: { category: "Guides", orderIndex: 0, type: "text", source: "" },
  version: version(3),
  createdBy: { id: "usr_1", name: "Ada" },
  readers: null,
  refreshEvery: null,
  refreshAt: null,
  lastRefresh: null,
};
const failed = (id: string): DocumentDetail => ({
  ...manual,
  id,
  name: id,
  status: "failed",
  error: "No text",
  canRetry: true,
});
/** Names of the buttons that show that they were pressed. */
const pending = ({ document }: { document: Document }) =>
  [...document.querySelectorAll('button[aria-disabled="true"]')].map(({ textContent }) => textContent);

it("shows only that document's button as pending that was retried", async () => {
  const page = await rendered(
    <ul>
      {["one", "two"].map((id) => (
        <DocumentState key={id} document={failed(id)} mayWrite />
      ))}
    </ul>,
    { sending: { intent: "retry", id: "two" } },
  );
  expect(page.text).toContain("Retry one");
  expect(pending(page)).toEqual(["Retry two"]);
});

it("shows only that version's button as pending that is restored", async () => {
  const page = await rendered(
    <VersionsTab
      document={manual}
      versions={[3, 2, 1].map(version)}
      textTo={(number) => `?version=${number}`}
    />,
    { sending: { intent: "restore-version", version: "1" } },
  );
  expect(page.text, "the current version can't be restored").not.toContain("Restore version 3");
  expect(page.text).toContain("Restore version 2");
  expect(pending(page)).toEqual(["Restore version 1"]);
});

const screen = (tab: "details" | "search", at: string, loading: string) =>
  rendered(
    <DocumentScreen
      document={manual}
      canRecognize={false}
      query={{ tab } as never}
      categories={["Guides"]}
      mayWrite
      referrer={undefined}
      result={undefined}
    />,
    { at, loading },
  );

it.each([
  ["access", "Visibility"],
  ["version", "New Version"],
])("opens the dialog %s as %s before its data has loaded", async (dialog, title) => {
  const { document } = await screen(
    "details",
    "/rag/doc_1?tab=details",
    `/rag/doc_1?tab=details&dialog=${dialog}`,
  );
  const open = document.querySelector("dialog");
  expect(open?.querySelector("h2")?.textContent).toBe(title);
  expect(open?.querySelector('[role="status"]')?.getAttribute("aria-label")).toBe("Loading");
});

it("shows a search in a document as pending while it loads, and no other page", async () => {
  const searching = await screen("search", "/rag/doc_1?tab=search", "/rag/doc_1?tab=search&q=valve");
  expect(pending(searching)).toEqual(["Search"]);
  expect(pending(await screen("search", "/rag/doc_1?tab=search", "/rag/doc_1?tab=chunks"))).toEqual([]);
});

const versionDialog = (result: object | undefined, text?: string) =>
  rendered(<VersionDialog document={manual} text={text} closeTo="/rag/doc_1" result={result as never} />);
const typedIn = ({ document }: { document: Document }) => [
  document.querySelector("textarea")?.textContent,
  document.querySelector('input[name="format"][checked]')?.getAttribute("value"),
];

it("edits a document's text in the format that it has", async () => {
  const page = await versionDialog(undefined, "# Now");
  expect(typedIn(page)).toEqual(["# Now", "markdown"]);
  expect(page.text).not.toContain("too long to show");
  expect((await versionDialog(undefined)).text).toContain("What you enter replaces all of it.");
});

it("keeps a refused text and format, with the error of the field or of the whole", async () => {
  const initialValue = { text: "Typed", format: "text" };
  const whole = await versionDialog({ initialValue, error: { "": ["The disk is full."] } }, "# Now");
  expect(typedIn(whole)).toEqual(["Typed", "text"]);
  expect(whole.document.querySelector('[role="alert"]')?.textContent).toBe("The disk is full.");
  const error = { "": ["Not saved"], text: ["Enter a text"] };
  const field = await versionDialog({ initialValue, error }, "# Now");
  expect(field.text).toContain("Enter a text");
  expect(field.text, "one error says enough").not.toContain("Not saved");
});

it.each([
  [null, "Keywords only in 1 ms"],
  ["bge-small", "Keywords and bge-small in 1 ms"],
])("says whether a search was by meaning too (%s)", async (embedder, summary) => {
  const answer = { results: [], store: "sqlite" as const, embedder, notice: null, tookMs: 0.2 };
  const view = { find: "", status: "", group: "", sort: "", cursor: "", panel: "", batch: "" } as const;
  const searchView = { q: "valve", in: "Guides", type: "", from: "", to: "" } as const;
  const page = await rendered(
    <SearchDialog view={view} searchView={searchView} categories={["Guides"]} outcome={{ answer }} />,
  );
  expect(page.text).toContain(summary);
  expect(page.text, "a filter may be why nothing was found").toContain("Try other words, or fewer filters.");
});
