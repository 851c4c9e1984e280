import { describe, expect, it } from "vitest";
import { AddressForm } from "./batches.schema";

const typed = {
  url: "https://example.org/page",
  title: "Page",
  addresses: "https://example.org/one\nhttps://example.org/two",
  sitemap: "https://example.org/sitemap.xml",
};
const errorsOf = (form: unknown) =>
  AddressForm.safeParse(form).error?.issues.map(({ path, message }) => [path.join("."), message]);

describe("the form of addresses", () => {
  it.each([
    ["page", { page: { url: typed.url, title: "Page" } }, [typed.sitemap, "/two"]],
    ["list", { batch: { urls: typed.addresses.split("\n") } }, [typed.url, typed.sitemap]],
    ["sitemap", { batch: { sitemap: typed.sitemap } }, [typed.url, "/two"]],
  ])("means only what was typed for a %s, when that is chosen", (kind, meant, unmeant) => {
    const parsed = AddressForm.parse({ ...typed, kind });
    expect(parsed).toMatchObject(meant);
    for (const text of unmeant) expect(JSON.stringify(parsed)).not.toContain(text);
  });

  it("defaults to one page", () => {
    expect(AddressForm.parse({ url: typed.url, category: "Guides" })).toMatchObject({
      page: { url: typed.url, category: "Guides", visibility: "organisation", refresh: "off" },
    });
  });

  it.each([
    [{ kind: "page", addresses: typed.addresses }, [["url", "Please enter a URL"]]],
    [
      { kind: "list", addresses: " \n" },
      [["addresses", "Please enter at least one address, or the address of a sitemap"]],
    ],
    [
      { kind: "sitemap", sitemap: "not an address" },
      [["sitemap", "Enter a complete address, such as https://example.com/page"]],
    ],
  ])("says beside its field what %o lacks", (form, errors) => {
    expect(errorsOf(form)).toEqual(errors);
  });
});
