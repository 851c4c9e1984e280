import { z } from "zod";
import { MAX_LIMIT, PERIODS, SCOPES, UNITS } from "./budgets.shared";

const STATES = ["ok", "near", "used-up"] as const;
export type BudgetState = (typeof STATES)[number];

const Target = z
  .string("Choose a target")
  .regex(/^(organisation|(group|person|persona|workflow|token|widget):[\w-]{1,64})$/, "Choose a target")
  .describe(
    "`organisation`, or kind and id such as `group:grp_…`: group, person, persona, workflow, token or widget",
  );

const Amount = z.number("Enter an amount").describe("US dollars or tokens, by the budget's unit");
const Limit = Amount.min(0, "Enter 0 or more").max(MAX_LIMIT.tokens, "Enter a smaller amount");
const WarnAt = z
  .int("Enter a whole number")
  .min(1, "Enter 1 to 100")
  .max(100, "Enter 1 to 100")
  .nullable()
  .describe("Share of the limit in percent from which a warning is sent; null for none");
const ChosenWarnAt = WarnAt.optional().transform((share) => share ?? null);
const Unpriced = z
  .enum(["allow", "refuse"])
  .describe(
    "Calls to models whose price isn't known, in a budget of money: allow counts them as zero, refuse stops them",
  );

export const BudgetInput = z.object({
  target: Target,
  unit: z.enum(UNITS),
  period: z.enum(PERIODS),
  limit: Limit,
  warnAt: ChosenWarnAt,
  unpriced: Unpriced.default("allow"),
});
export type BudgetInput = z.infer<typeof BudgetInput>;

/** Changes only the fields sent. */
export const BudgetPatch = z.object({
  limit: Limit.optional(),
  warnAt: WarnAt.optional(),
  unpriced: Unpriced.optional(),
});
export type BudgetPatch = z.infer<typeof BudgetPatch>;

/** Target, unit and period only serve to add the budget again if it was deleted meanwhile. */
export const BudgetForm = z
  .object({
    limit: Limit,
    warnAt: ChosenWarnAt,
    unpriced: Unpriced.default("allow"),
    ...BudgetInput.pick({ target: true, unit: true, period: true }).partial().shape,
  })
  .transform(({ target, unit, period, ...changes }) => changes);

export const BudgetException = z.object({
  amount: Amount.positive("Enter more than 0").max(MAX_LIMIT.tokens, "Enter a smaller amount"),
  reason: z.string("Enter a reason").trim().min(1, "Enter a reason").max(200, "Enter at most 200 characters"),
});
export type BudgetException = z.infer<typeof BudgetException>;

export const Budget = z.object({
  id: z.string(),
  target: Target,
  scope: z.enum(SCOPES),
  name: z.string().nullable().describe("Name of the budget's target; null if it was deleted"),
  unit: z.enum(UNITS),
  period: z.enum(PERIODS),
  limit: z.number().describe("US dollars or tokens, by the unit, like all amounts"),
  exception: z.number().describe("Added to the limit by exceptions, until the reset"),
  spent: z.number(),
  reserved: z.number().describe("Likely cost of running calls"),
  unpricedCalls: z.int().describe("Calls of the period whose cost isn't known"),
  state: z.enum(STATES),
  warnAt: z.int().nullable(),
  unpriced: Unpriced,
  resetsOn: z.string().describe("First day of the next period, by the organization's time zone"),
});
export type Budget = z.infer<typeof Budget>;

export const BudgetQuery = z.object({
  dialog: z.enum(["new", "edit", "exception", "delete"]).optional().catch(undefined),
  id: z.string().max(64).optional().catch(undefined),
  page: z.coerce.number().int().min(1).max(100_000).catch(1),
});
export type BudgetQuery = z.infer<typeof BudgetQuery>;

export interface BudgetWarning {
  state: Exclude<BudgetState, "ok">;
  text: string;
}
