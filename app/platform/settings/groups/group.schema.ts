import { z } from "zod";
import type { Field } from "~/core/field.schema";

type Fields = Record<string, Field>;
type Shape<F extends Fields> = { [K in keyof F]: F[K]["schema"] };

interface Definition<I extends string, P extends string, F extends Fields> {
  id: I;
  label: string;
  permission: P;
  fields: F;
}

const schemasOf = <F extends Fields>(fields: F, make: (field: Field) => z.ZodType) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, make(field)])) as unknown;

export function defineGroup<
  const I extends string,
  const P extends "settings.manage" | "providers.manage" | "backup.manage",
  F extends Fields,
>(definition: Definition<I, P, F>) {
  const { fields } = definition;
  return {
    ...definition,
    values: z.object(
      schemasOf(fields, ({ schema, fallback, hint }) => schema.default(fallback).describe(hint)) as {
        [K in keyof F]: z.ZodDefault<F[K]["schema"]>;
      },
    ),
    patch: z
      .strictObject(schemasOf(fields, ({ schema, hint }) => schema.describe(hint)) as Shape<F>)
      .partial(),
  };
}
