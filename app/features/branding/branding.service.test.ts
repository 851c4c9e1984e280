import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { updateUserSettings } from "~/features/settings/settings.service.server";
import { ORG_ID, openTestDatabase } from "../../../tests/support/database";
import { readBranding, themeOf } from "./branding.service.server";

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

  it("is the specification's until something is stored", () => {
    expect(readBranding()).toMatchObject({
      theme: "dark",
      fontFamily: "Inter",
      borderRadius: 8,
      glassEffect: true,
      backgroundPattern: "grid",
      primaryColor: "#3b82f6",
    });
  });

  it("takes over what is stored and keeps the rest", () => {
    store({ appName: "Bridge", theme: "light" });
    expect(readBranding()).toMatchObject({ appName: "Bridge", theme: "light", accentColor: "#10b981" });
    expect(themeOf(undefined)).toBe("light");
  });

  it("falls back to the defaults when what is stored can't be used", () => {
    store({ primaryColor: "red;}" });
    expect(readBranding().primaryColor).toBe("#3b82f6");
  });

  it("gives way to a person's own theme", () => {
    updateUserSettings(test.actors.viewer, { theme: "auto" });
    expect(themeOf(test.actors.viewer)).toBe("auto");
    expect(themeOf(test.actors.member)).toBe("dark");
  });
});
