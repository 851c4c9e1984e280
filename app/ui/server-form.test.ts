import { expect, it } from "vitest";
import { inputProps, serverForm } from "./server-form";

it("starts with the defaults, then shows sent values with errors, except passwords", () => {
  const options = { id: "account", defaultValue: { name: "Ada" } };
  const [, fresh] = serverForm<"name" | "password">({ ...options, lastResult: null });
  expect(inputProps(fresh.name, "text")).toEqual({
    id: "account-name",
    name: "name",
    type: "text",
    defaultValue: "Ada",
  });
  const lastResult = {
    status: "error" as const,
    initialValue: { name: "", password: "hunter2" },
    error: { name: ["Enter a name"], "": ["Not saved"] },
  };
  const [form, fields] = serverForm<"name" | "password">({ ...options, lastResult });
  expect(form.errors).toEqual(["Not saved"]);
  expect(fields.name).toMatchObject({ errors: ["Enter a name"], initialValue: "" });
  expect(inputProps(fields.password, "password")).not.toHaveProperty("defaultValue");
});
