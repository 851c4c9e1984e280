import { parseHTML } from "linkedom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

it("a refused confirmation says so in its dialog", async () => {
  const members = (await (await server.ask("/api/members", { as: "owner" })).json()) as {
    id: string;
    role: string;
  }[];
  const id = members.find(({ role }) => role === "owner")?.id ?? "";
  const response = await server.ask(`/settings/members?dialog=remove&id=${id}`, {
    as: "owner",
    form: { intent: "remove", id },
    headers: { accept: "text/html" },
  });
  expect(response.status).toBe(409);
  const page = await response.text();
  const dialog = /<dialog[\s\S]*?<\/dialog>/.exec(page)?.[0] ?? "";
  expect(dialog).toContain("Couldn&#x27;t remove the member");
  expect(dialog).toContain("This is the last owner. Make another member an owner first.");
});

it("the last owner learns on their profile that they can't leave", async () => {
  for (const path of ["/settings/profile", "/settings/profile?dialog=leave"]) {
    const page = await (await server.ask(path, { as: "owner", headers: { accept: "text/html" } })).text();
    expect(page).toContain("This is the last owner. Make another member an owner first.");
    expect(page).not.toContain('value="leave"');
  }
});

it("one whose subject has gone says so on the screen", async () => {
  const response = await server.ask("/settings/keys?dialog=remove&id=key_none", {
    as: "owner",
    form: { intent: "remove-key", id: "key_none" },
    headers: { accept: "text/html" },
  });
  expect(response.status).toBe(303);
  expect(response.headers.get("location")).toBe("/settings/keys");
});

describe("a dialog over a filtered page keeps the address below it", () => {
  const read = async (path: string) => {
    const page = await server.ask(path, { as: "owner", headers: { accept: "text/html" } });
    return parseHTML(await page.text()).document;
  };
  const linksOf = (box: ParentNode | null) =>
    [...(box?.querySelectorAll("a") ?? [])].map((link) => link.getAttribute("href"));
  const created = async (path: string, json: object) => {
    const response = await server.ask(path, { as: "owner", json });
    return ((await response.json()) as { id: string }).id;
  };

  const PAGES: [name: string, address: () => Promise<string>, dialog: string][] = [
    [
      "providers",
      async () => "/settings/providers?filter=custom&search=lab&managed=all",
      "dialog=add-provider",
    ],
    ["the system's measured storage", async () => "/settings/system?storage=1", "dialog=compact"],
    [
      "compared versions of a workflow",
      async () => {
        const workflow = { name: "Compared", triggers: [{ id: "t", type: "manual" }], steps: [] };
        return `/workflows/${await created("/api/workflows", workflow)}?from=1&to=1`;
      },
      "dialog=delete",
    ],
  ];
  it.each(PAGES)("%s", async (_, address, dialog) => {
    const below = await address();
    expect(linksOf(await read(below))).toContain(`${below}&${dialog}`);
    const page = await read(`${below}&${dialog}`);
    const links = linksOf(page.querySelector("dialog"));
    expect(links).toEqual(links.map(() => below));
    expect(links).not.toEqual([]);
  });

  it("also once a provider was deleted in it", async () => {
    const below = "/settings/providers?search=lab";
    const config = { baseUrl: "http://127.0.0.1:9", models: ["lab-one"] };
    const provider = { provider: "custom", displayName: "Lab", enabled: false, config };
    const id = await created("/api/providers", provider);
    const opens = linksOf(await read(below)).find((link) => link?.includes("dialog=delete-provider"));
    expect(opens).toBe(`${below}&dialog=delete-provider&id=${id}`);
    const form = (await read(opens ?? "")).querySelector("dialog form");
    const response = await server.ask(form?.getAttribute("action") ?? "", {
      as: "owner",
      form: { intent: "delete-provider", id },
      headers: { accept: "text/html" },
    });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe(below);
  });
});
