import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { findOrgRecord, saveOrgRecord } from "~/platform/settings/settings.service.server";
import { updateUserSettings } from "~/team/members/preferences.service.server";
import { ORG_ID, openTestDatabase } from "../../../tests/support/database";
import { brandIcon } from "./brand.shared";
import { BrandingInput } from "./branding.schema";
import {
  brandingOf,
  type MultipartFile,
  readBranding,
  submitBrandImage,
  themeOf,
  updateBranding,
} from "./branding.service.server";
import { CompiledCss, readCustomCss, refreshCustomCss } from "./custom-css/custom-css.service.server";
import { importBranding } from "./exchange.service.server";
import { readManifest } from "./manifest.service.server";

const png = Buffer.from("89504e470d0a1a0a0000000d494844520000000100000001080600000000000000", "hex");

async function* parts<T>(...all: T[]): AsyncGenerator<T> {
  yield* all;
}

describe("branding", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  const store = (value: unknown) =>
    rawDatabase()
      .prepare("insert into org_settings (org_id, key, value, updated_at) values (?, 'branding', ?, 0)")
      .run(ORG_ID, JSON.stringify(value));

  it("has the specification's defaults until changed", () => {
    expect(readBranding()).toMatchObject({
      theme: "dark",
      fontFamily: "Inter",
      borderRadius: 8,
      glassEffect: true,
      backgroundPattern: "grid",
      primaryColor: "#3b82f6",
    });
  });

  it("imports stored values and keeps the rest", () => {
    store({ appName: "Bridge", theme: "light" });
    expect(readBranding()).toMatchObject({ appName: "Bridge", theme: "light", accentColor: "#10b981" });
    expect(themeOf(undefined)).toBe("light");
  });

  it("uses defaults for invalid stored values", () => {
    store({ primaryColor: "red;}" });
    expect(readBranding().primaryColor).toBe("#3b82f6");
  });

  it.each(["/\t/evil.example/x", "//evil.example", "/\\evil.example", "/\n/evil.example", "/\u200b/x"])(
    "refuses a logo at %j, which a browser would take from another site",
    async (logoUrl) => {
      expect(BrandingInput.safeParse({ logoUrl, faviconUrl: logoUrl }).error?.issues).toHaveLength(2);
      await expect(updateBranding(test.actors.admin, { logoUrl })).rejects.toMatchObject({ code: "invalid" });
      expect(brandIcon({ ...readBranding(), logoUrl })).toBe("/icon.svg");
    },
  );

  it("shows the logo as the icon of a page, where there is none of its own", () => {
    const branding = { ...readBranding(), appName: "Bridge" };
    expect(brandIcon({ ...branding, logoUrl: "/brand/logo.png" })).toBe("/brand/logo.png");
    const own = { ...branding, logoUrl: "/brand/logo.png", faviconUrl: "/brand/icon.png" };
    expect(brandIcon(own)).toBe("/brand/icon.png");
    expect(brandIcon(branding), "the initial stands for a missing image").toMatch(
      /^\/brand\/icon\.svg\?letter=B/,
    );
  });

  it("is installed with its own name and icon", async () => {
    const iconsOf = () => readManifest().icons.map(({ src, sizes }) => [src, sizes]);
    expect(iconsOf()).toEqual([
      ["/icon.svg", "any"],
      ["/icon-192.png", "192x192"],
      ["/icon-512.png", "512x512"],
      ["/icon-maskable.png", "512x512"],
    ]);
    await updateBranding(test.actors.admin, { appName: "Northwind Operations" });
    expect(readManifest()).toMatchObject({ name: "Northwind Operations", short_name: "Northwind" });
    expect(iconsOf()).toEqual([["/brand/icon.svg?letter=N&color=3b82f6", "any"]]);
    const uploaded = parts<MultipartFile>({ kind: "file", name: "file", bytes: parts(png) });
    await submitBrandImage(test.actors.admin, "favicon", uploaded);
    expect(iconsOf()).toEqual([[expect.stringMatching(/^\/brand\/\w+\.png$/), "1x1"]]);
  });

  it("uses an uploaded image and keeps it while in use", async () => {
    const upload = (bytes: Uint8Array) =>
      submitBrandImage(test.actors.admin, "logo", parts({ kind: "file", name: "file", bytes: parts(bytes) }));
    const stored = () => rawDatabase().prepare("select name from brand_images").pluck().all();
    expect(await upload(png)).toEqual({});
    const { logoUrl } = readBranding();
    expect(stored()).toEqual([logoUrl.slice("/brand/".length)]);
    const entry = rawDatabase()
      .prepare("select action from audit_entries order by rowid desc limit 1")
      .pluck();
    expect(entry.get()).toBe("settings.updated");
    expect(await upload(Buffer.from("<html>"))).toMatchObject({
      problem: expect.stringContaining("not an image"),
    });
    expect(readBranding().logoUrl).toBe(logoUrl);
    await updateBranding(test.actors.admin, { logoUrl: "" });
    expect(stored()).toEqual([]);
    const denied = submitBrandImage(test.actors.member, "logo", parts());
    await expect(denied).rejects.toMatchObject({ code: "forbidden" });
  });

  it("rejects a stale upload or import and keeps none of its images", async () => {
    const { admin } = test.actors;
    const { version } = await updateBranding(admin, { appName: "Bridge" });
    const opened = { kind: "field", name: "version", value: String(version) } as const;
    await updateBranding(admin, { appName: "Deck" });
    const brand = {
      kind: "branding",
      branding: {},
      images: { logo: { mediaType: "image/png", base64: png.toString("base64") } },
    };
    const file = (bytes: Uint8Array) => ({ kind: "file", name: "file", bytes: parts(bytes) }) as const;
    const refused = { problem: expect.stringContaining("App name") };
    expect(await submitBrandImage(admin, "logo", parts<MultipartFile>(opened, file(png)))).toEqual(refused);
    const json = Buffer.from(JSON.stringify(brand));
    expect(await importBranding(admin, parts<MultipartFile>(opened, file(json)))).toEqual(refused);
    expect(rawDatabase().prepare("select count(*) from brand_images").pluck().get()).toBe(0);
    expect(await importBranding(admin, parts(file(json)))).toEqual({});
    expect(readBranding()).toMatchObject({ appName: "Deck", logoUrl: expect.stringMatching(/^\/brand\//) });
  });

  it.each([
    [{ textColor: "#09090b" }, "textColor", "1.0:1"],
    [{ backgroundColor: "#eeeeee" }, "backgroundColor", "1.2:1"],
    [{ textColor: "#777777", backgroundColor: "#888888" }, "textColor", "1.3:1"],
    [{ logoUrl: "/logo.svg" }, "logoUrl", "no file at /logo.svg"],
    [{ faviconUrl: "/brand/gone.png" }, "faviconUrl", "no file"],
    [{ logoUrl: "/../package.json" }, "logoUrl", "no file"],
  ])("refuses %j, which can't be read or doesn't exist", async (patch, field, detail) => {
    const refused = updateBranding(test.actors.admin, patch);
    await expect(refused).rejects.toMatchObject({
      code: "invalid",
      fields: { [field]: [expect.stringContaining(detail)] },
    });
    expect(
      await updateBranding(test.actors.admin, { logoUrl: "/icon.svg", textColor: "#eeeeee" }),
    ).toMatchObject({
      logoUrl: "/icon.svg",
    });
  });

  it("is left out of a plain page, but for the name", () => {
    store({ appName: "Bridge", textColor: "#09090b", customCss: "body { display: none }" });
    expect(brandingOf(new URL("http://a.example/login"))).toMatchObject({ textColor: "#09090b" });
    expect(brandingOf(new URL("http://a.example/login?plain=1"))).toMatchObject({
      appName: "Bridge",
      textColor: "#ffffff",
      customCss: "",
    });
  });

  it("scopes custom CSS saved before scoping existed", async () => {
    const { admin } = test.actors;
    await updateBranding(admin, { customCss: "main { max-width: none }" });
    const scoped = readCustomCss()?.css;
    const { rules: _, ...compiled } = CompiledCss.parse(findOrgRecord(db(), admin.orgId, "custom-css"));
    const earlier = { ...compiled, minified: "main{max-width:none}" };
    transaction((tx) => saveOrgRecord(tx, admin.orgId, "custom-css", earlier));
    expect(readCustomCss()?.css).toBe("main{max-width:none}");
    await refreshCustomCss();
    expect([readCustomCss()?.css, scoped]).toEqual([scoped, expect.stringContaining(":where(")]);
  });

  it("yields to a user's own theme", () => {
    updateUserSettings(test.actors.viewer, { theme: "auto" });
    expect(themeOf(test.actors.viewer)).toBe("auto");
    expect(themeOf(test.actors.member)).toBe("dark");
  });
});
