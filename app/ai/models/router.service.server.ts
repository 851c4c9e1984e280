export type { CallEnd, Routed } from "./router/attempts.server";
export { newRouteRecord, routeCall } from "./router/open-model.server";
export { DEFAULT_OUTPUT_TOKENS, startSpending, tokensIn, tokensInBytes } from "./router/spending.server";
export { nonStreamingTimeout, type ResponseMode, type RouteTarget } from "./router/targets.server";
