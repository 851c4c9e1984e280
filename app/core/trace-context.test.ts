import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inTrace, newSpan, outgoingTrace, readTrace, setTracing, traceToKeep } from "./trace-context.server";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const PARENT = `00-${TRACE}-${SPAN}-01`;

beforeEach(() => setTracing({ propagates: true }));
afterEach(() => setTracing(undefined));

describe("a caller's traceparent", () => {
  it.each([
    [PARENT, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    // Unknown flags, and what later versions have behind them.
    [`00-${TRACE}-${SPAN}-ff`, true],
    [`cc-${TRACE}-${SPAN}-01`, true],
    [`cc-${TRACE}-${SPAN}-01-what-follows`, true],
  ])("%s is read", (traceparent, isSampled) => {
    expect(readTrace({ traceparent })).toEqual({ traceId: TRACE, spanId: SPAN, isSampled });
  });

  it.each([
    "",
    "00",
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `cc-${TRACE}-${SPAN}-01.more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}`,
    ` ${PARENT}`,
    `${PARENT}, ${PARENT}`,
  ])("%j is ignored, with its tracestate", (traceparent) => {
    expect(readTrace({ traceparent, tracestate: "a=1" })).toBeUndefined();
  });
});

describe("a caller's tracestate", () => {
  it.each([
    ["rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"],
    ["a=1 , ,fw529a3039@dt=FfAAA", "a=1,fw529a3039@dt=FfAAA"],
    ["", undefined],
    ["A=1", undefined],
    ["a", undefined],
    ["a=b=c", undefined],
    ["a=1,a=2", undefined],
    [Array.from({ length: 33 }, (_, at) => `k${at}=1`).join(","), undefined],
    [`a=${"x".repeat(600)}`, undefined],
  ])("%j is passed on as %j", (tracestate, state) => {
    expect(readTrace({ traceparent: PARENT, tracestate })?.state).toBe(state);
  });
});

it("spans continue the trace, and outgoing calls name them", () => {
  const caller = readTrace({ traceparent: PARENT, tracestate: "a=1" });
  const span = newSpan(caller);
  expect(span).toMatchObject({ traceId: TRACE, parentId: SPAN, isSampled: true });
  inTrace(span, () => {
    expect(newSpan()).toMatchObject({ traceId: TRACE, parentId: span?.spanId });
    expect(outgoingTrace()).toEqual({ traceparent: `00-${TRACE}-${span?.spanId}-01`, tracestate: "a=1" });
  });
});

it("a trace that isn't recorded stays so for others", () => {
  const span = newSpan(readTrace({ traceparent: `00-${TRACE}-${SPAN}-00` }));
  expect(inTrace(span, outgoingTrace)).toEqual({ traceparent: `00-${TRACE}-${span?.spanId}-00` });
});

it("nothing is sent if it isn't passed on, and nothing is kept while tracing is off", () => {
  const span = newSpan();
  setTracing({ propagates: false });
  expect([inTrace(span, outgoingTrace), inTrace(span, traceToKeep)]).toEqual([
    {},
    expect.objectContaining({ traceparent: expect.any(String) }),
  ]);
  setTracing(undefined);
  expect([newSpan(), inTrace(span, outgoingTrace), inTrace(span, traceToKeep)]).toEqual([
    undefined,
    {},
    undefined,
  ]);
});
