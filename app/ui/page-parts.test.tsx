import { UNSAFE_ErrorResponseImpl as ErrorResponse } from "react-router-dom";
import { expect, it } from "vitest";
import { rendered } from "../../tests/support/rendered";
import { ActiveFilters } from "./active-filters";
import { ErrorPage } from "./error-page";
import { describeFailure, failureOf, failureSentence } from "./failures";
import { explainFormError } from "./form-result";
import { Pagination } from "./pagination";

it("shows each filter as a link that removes it, and no list without filters", async () => {
  const filters = [{ name: "model", value: "gpt-4o", without: "/usage?by=person" }];
  const { document } = await rendered(<ActiveFilters filters={filters} />);
  const link = document.querySelector("ul a");
  expect(link?.getAttribute("aria-label"), "a filter is named").toBe("Remove filter: model gpt-4o");
  expect(link?.getAttribute("href"), "the link removes the filter").toBe("/usage?by=person");
  const none = await rendered(<ActiveFilters filters={[]} />);
  expect(none.document.querySelector("ul"), "an empty list is left out").toBeNull();
});

it.each([
  [1, ["Next of runs"], "1 to 10 of 25"],
  [2, ["Previous of runs", "Next of runs"], "11 to 20 of 25"],
  [3, ["Previous of runs"], "21 to 25 of 25"],
])("links page %i of three to the pages beside it", async (page, links, range) => {
  const { document, text } = await rendered(
    <Pagination pageInfo={{ page, size: 10, total: 25 }} label="Runs" to={(to) => `?page=${to}`} />,
  );
  expect([...document.querySelectorAll("a")].map(({ textContent }) => textContent)).toEqual(links);
  expect(text, "the shown range").toContain(range);
});

it("offers a retry for an unexpected error, and none where it can't help", async () => {
  const broken = await rendered(<ErrorPage error={new Error("secret cause")} />, { at: "/rag?q=1" });
  expect(broken.text).toContain("Something went wrong");
  expect(broken.text, "the cause is only in the log").not.toContain("secret cause");
  expect(broken.document.querySelector('a[href="/rag?q=1"]')?.textContent).toBe("Try Again");
  const failed = Object.assign(new Error("A provider's answer"), { status: 404, data: "" });
  const unexpected = await rendered(<ErrorPage error={failed} />);
  expect(unexpected.text, "only the console's own answers are taken for a page's state").toContain(
    "Something went wrong",
  );
  const problem = { detail: "Ask an admin.", requestId: "req_1" };
  const forbidden = await rendered(<ErrorPage error={new ErrorResponse(403, "", problem)} />);
  expect(forbidden.text).toContain("You don't have accessAsk an admin.");
  expect(forbidden.text, "a refusal is final").not.toMatch(/Try Again|req_1/);
  const gone = new ErrorResponse(404, "", { detail: "Folder not found. It may have been deleted." });
  const section = { name: "AI Chat", to: "/chat" };
  const missing = await rendered(<ErrorPage error={gone} section={section} />, {
    at: "/chat/projects/fld_1",
  });
  expect(missing.document.querySelector("h1")?.textContent).toBe("Folder not found");
  expect(missing.text).toContain("It may have been deleted.");
  const [back] = missing.document.querySelectorAll("a");
  expect([back?.textContent, back?.getAttribute("href")]).toEqual(["Back to AI Chat", "/chat"]);
});

it("introduces the reason of a failed action where the specification has a text for it", () => {
  const shown = (path: string, intent: string) => {
    const failure = failureOf(path, intent);
    return [failure.title, describeFailure(failure, "Offline."), failureSentence(failure, "Offline.")];
  };
  expect(shown("/workflows", "delete")).toEqual([
    "Delete failed",
    "Could not delete workflow. Offline.",
    "Could not delete workflow. Offline.",
  ]);
  expect(shown("/personas", "create")).toEqual([
    "Failed to create persona",
    "Offline.",
    "Failed to create persona: Offline.",
  ]);
  expect(shown("/search", "save")[0]).toBe("The change wasn't saved");
});

it("says how to keep what was typed only if the record was deleted meanwhile", () => {
  expect(explainFormError("Not found.", true)).toBe("Not found. Add it again to keep what you typed.");
  expect(explainFormError("Too long.", false)).toBe("Too long.");
  expect(explainFormError(undefined, true)).toBeUndefined();
});
