import { kept } from "~/core/kept.server";
import { METHODS } from "~/platform/endpoint/endpoint.shared";
import type { Program, Refuse } from "~/platform/endpoint/program.shared";
import { apiTable } from "./api-table.server";
import { toProblem } from "./status.server";

export type Offered = Program & { refuse: Refuse; stem?: string };

const refuseAsProblem: Refuse = (error, requestId) => {
  const body = toProblem(error, requestId);
  return { status: body.status, body, contentType: "application/problem+json; charset=utf-8" };
};

// Kept, since a reload in development leaves the listener that runs.
const table = () => kept("programs", () => new Map<string, Offered>());

/** What `programListener` answers, by path. */
export const programTable = (): ReadonlyMap<string, Offered> => table();

/** At the start: the calls of programs. */
export function offerPrograms(list: readonly Program[]): void {
  table().clear();
  for (const program of list) {
    const { path, tag } = program;
    const open = /(?:\{\w+\}|\*)$/.exec(path);
    table().set(path, {
      refuse: refuseAsProblem,
      ...program,
      ...(open ? { stem: path.slice(0, open.index) } : {}),
    });
    const endpoints = METHODS.flatMap((method) => {
      const endpoint = program[method];
      return endpoint ? [[method, { status: 200, ...endpoint }] as const] : [];
    });
    if (endpoints.length === 0) continue;
    const isTokenOnly = endpoints.some(([, { access }]) => access !== "public");
    apiTable().set(path, { path, tag, isTokenOnly, ...Object.fromEntries(endpoints) });
  }
}
