import { describe, expect, it } from "vitest";
import { AddressForm, BatchInput } from "./ingest.schema";

const values = {
  url: "https://example.org/page",
  title: "Page",
  addresses: "https://example.org/one\nhttps://example.org/two",
  sitemap: "https://example.org/sitemap.xml",
};
const errorsOf = (form: unknown) =>
  AddressForm.safeParse(form).error?.issues.map(({ path, message }) => [path.join("."), message]);

describe("the form of addresses", () => {
  it.each([
    ["page", { page: { url: values.url, title: "Page" } }, [values.sitemap, "/two"]],
    ["list", { batch: { urls: values.addresses.split("\n") } }, [values.url, values.sitemap]],
    ["sitemap", { batch: { sitemap: values.sitemap } }, [values.url, "/two"]],
  ])("parses only the fields of the chosen kind: %s", (kind, expected, ignored) => {
    const parsed = AddressForm.parse({ ...values, kind });
    expect(parsed).toMatchObject(expected);
    for (const text of ignored) expect(JSON.stringify(parsed)).not.toContain(text);
  });

  it("defaults to one page", () => {
    expect(AddressForm.parse({ url: values.url, category: "Guides" })).toMatchObject({
      page: { url: values.url, category: "Guides", visibility: "organisation", refresh: "off" },
    });
  });

  it.each([
    [{ kind: "page", addresses: values.addresses }, [["url", "Please enter a URL"]]],
    [
      { kind: "list", addresses: " \n" },
      [["addresses", "Please enter at least one address, or the address of a sitemap"]],
    ],
    [
      { kind: "sitemap", sitemap: "not an address" },
      [["sitemap", "Enter a complete address, such as https://example.com/page"]],
    ],
  ])("reports what %o lacks by field", (form, errors) => {
    expect(errorsOf(form)).toEqual(errors);
  });
});

it.each([
  [{ urls: [values.url], sitemap: values.sitemap }, [["sitemap", "Send either addresses or a sitemap"]]],
  [{ urls: [] }, [["urls", "Please enter at least one address, or the address of a sitemap"]]],
  [{ sitemap: values.sitemap }, undefined],
])("a batch of the API has either addresses or a sitemap: %j", (batch, errors) => {
  const issues = BatchInput.safeParse(batch).error?.issues;
  expect(issues?.map(({ path, message }) => [path.join("."), message])).toEqual(errors);
});
