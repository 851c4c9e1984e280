import { parseHTML } from "linkedom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const put = (json: unknown, path = "/api/branding") => server.ask(path, { as: "admin", method: "PUT", json });

async function pageOf(path: string, as?: "admin") {
  const response = await server.ask(path, { ...(as ? { as } : {}), headers: { accept: "text/html" } });
  const { document } = parseHTML(await response.text());
  const href = (selector: string) => document.querySelector(selector)?.getAttribute("href") ?? undefined;
  return { document, href, policy: response.headers.get("content-security-policy") ?? "" };
}

describe("the font", () => {
  it.each([
    ["Inter", "Inter Variable", "inter"],
    ["Roboto", "Roboto Variable", "roboto"],
    ["Poppins", "Poppins", "poppins"],
    ["Montserrat", "Montserrat Variable", "montserrat"],
    ["Source Sans Pro", "Source Sans 3 Variable", "source-sans-3"],
  ])("%s is on every page, and no other font is named there", async (fontFamily, family, file) => {
    expect((await put({ fontFamily })).status).toBe(200);
    for (const [path, as] of [["/personas", "admin"], ["/login"]] as const) {
      const { document, href, policy } = await pageOf(path, as);
      expect(document.documentElement.getAttribute("style")).toContain(`"${family}"`);
      const faces = [...document.querySelectorAll("head style")].map((style) => style.textContent).join("");
      const all = [...faces.matchAll(/url\(([^)]+)\)/g)].map(([, url = ""]) => url);
      // The font of formulas loads where one is.
      const files = all.filter((url) => !url.includes("math"));
      expect(files.length).toBe(fontFamily === "Poppins" ? 8 : 2);
      for (const url of files) expect(url).toMatch(new RegExp(`^/assets/${file}-latin`));
      expect(files).toContain(href('link[rel="preload"][as="font"]'));
      const font = await server.ask(files[0] ?? "");
      expect([font.status, font.headers.get("content-type")]).toEqual([200, "font/woff2"]);
      const nonce = document.querySelector("head style")?.getAttribute("nonce");
      expect(policy).toContain(`'nonce-${nonce}'`);
    }
  });
});

describe("the custom CSS", () => {
  const LINK = 'link[rel="stylesheet"][href^="/custom.css"]';
  const CONDITION = ":where([data-custom-css],[data-custom-css] *)";

  const expectNone = ({ document, href }: Awaited<ReturnType<typeof pageOf>>) =>
    expect([href(LINK), document.documentElement.hasAttribute("data-custom-css")]).toEqual([
      undefined,
      false,
    ]);

  it("is served on pages of the shell, the landing page and the not-found page, and on no others", async () => {
    expect((await put({ customCss: "/* wide */\nmain { max-width: none }" })).status).toBe(200);
    const { document, href } = await pageOf("/personas", "admin");
    expect(document.documentElement.hasAttribute("data-custom-css")).toBe(true);
    const address = href(LINK) ?? "";
    const response = await server.ask(address);
    expect(response.headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect(response.headers.get("cache-control")).toContain("immutable");
    expect(await response.text()).toBe(`main${CONDITION}{max-width:none}`);
    for (const path of ["/settings/branding", "/settings/profile", "/personas?plain=1"])
      expectNone(await pageOf(path, "admin"));
    expectNone(await pageOf("/login"));
    for (const path of ["/", "/no/such/page"]) expect((await pageOf(path)).href(LINK)).toBe(address);
  });

  it("isn't minified where that is off, under an address of its own", async () => {
    const before = (await pageOf("/personas", "admin")).href(LINK);
    await put({ performance: { enableMinification: false } }, "/api/settings/advanced");
    const after = (await pageOf("/personas", "admin")).href(LINK) ?? "";
    expect(after).not.toBe(before);
    expect(await (await server.ask(after)).text()).toBe(`main${CONDITION} {\n  max-width:none\n}\n`);
  });

  it("is refused with the reasons and their lines, and what was saved stays", async () => {
    const refused = await put({ customCss: 'a { color: red }\n@import "//evil.example";' });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      errors: { customCss: ["Line 2: @import is not allowed."] },
    });
    expect((await pageOf("/personas", "admin")).href(LINK)).toBeDefined();
    await put({ customCss: "" });
    expect((await pageOf("/personas", "admin")).href(LINK)).toBeUndefined();
    expect(await (await server.ask("/custom.css")).text()).toBe("");
  });
});

describe("the logo and the favicon", () => {
  const PNG = Buffer.from("89504e470d0a1a0a0000000d494844520000000100000001080600000000000000", "hex");

  async function upload(target: string, bytes: Uint8Array) {
    const form = new FormData();
    form.append("file", new Blob([Buffer.from(bytes)]), "image.png");
    return server.ask(`/settings/branding/image?for=${target}`, {
      as: "admin",
      method: "POST",
      body: form,
      headers: { accept: "text/html" },
    });
  }

  it("are uploaded, and stand on pages of the shell and on sign-in", async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script/><path d="M0 0h9"/></svg>';
    expect((await upload("logo", Buffer.from(svg))).status).toBe(303);
    expect((await upload("favicon", PNG)).status).toBe(303);
    const { logoUrl, faviconUrl } = (await (await server.ask("/api/branding")).json()) as Record<
      string,
      string
    >;
    for (const [path, as] of [["/personas", "admin"], ["/login"]] as const) {
      const { document, href } = await pageOf(path, as);
      expect(href('link[rel="icon"]')).toBe(faviconUrl);
      expect(document.querySelector(`img[src="${logoUrl}"]`)).not.toBeNull();
    }
    const image = await server.ask(logoUrl ?? "");
    expect(image.headers.get("content-type")).toBe("image/svg+xml");
    expect(image.headers.get("content-security-policy")).toContain("sandbox");
    expect(image.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await image.text()).toBe('<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h9"></path></svg>');
    expect(Buffer.from(await (await server.ask(faviconUrl ?? "")).arrayBuffer())).toEqual(PNG);
  });

  it("go with an exported brand, which another console takes over", async () => {
    const exported = await (await server.ask("/settings/branding/export", { as: "admin" })).text();
    const before = await (await server.ask("/api/branding")).json();
    const importing = async (content: string) => {
      const form = new FormData();
      form.append("file", new Blob([content]), "branding.json");
      const headers = { accept: "text/html" };
      return server.ask("/settings/branding/import", { as: "admin", method: "POST", body: form, headers });
    };
    await put({ logoUrl: "", faviconUrl: "", appName: "Other" });
    const refused = await importing("{}");
    expect([refused.status, (await refused.text()).includes("an exported brand")]).toEqual([400, true]);
    expect((await importing(exported)).status).toBe(303);
    const { version: _, ...after } = (await (await server.ask("/api/branding")).json()) as Record<
      string,
      unknown
    >;
    expect(before).toMatchObject(after);
  });

  it("are refused where they are no images, with the reason beside the field", async () => {
    const refused = await upload("logo", Buffer.from("<html><script>alert(1)</script>"));
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("This is not an image.");
  });

  it("are the initial of another name, where there are none", async () => {
    await put({ logoUrl: "", faviconUrl: "", appName: "Night & Watch", primaryColor: "#0f766e" });
    for (const [path, as] of [["/personas", "admin"], ["/login"]] as const) {
      const { document, href } = await pageOf(path, as);
      expect(href('link[rel="icon"]')).toBe("/brand/icon.svg?letter=N&color=0f766e");
      expect(document.querySelector("html")?.textContent).not.toContain("Quarterdeck");
    }
    const icon = await server.ask("/brand/icon.svg");
    expect(icon.headers.get("content-type")).toBe("image/svg+xml");
    expect(await icon.text()).toMatch(/fill="#0f766e".*>N<\/text>/);
  });

  it("are never fetched from a private address", async () => {
    const refused = await put({ logoUrl: "https://169.254.169.254/logo.png" });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(await refused.json()).toMatchObject({ errors: { logoUrl: [expect.any(String)] } });
  });
});
