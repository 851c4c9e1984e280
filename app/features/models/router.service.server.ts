export type { CallEnd, Routed } from "./router/attempts.server";
export { newRouteRecord, routeCall } from "./router/route-call.server";
export { startSpending, tokensIn, tokensInBytes, USUAL_OUTPUT } from "./router/spending.server";
export type { ResponseMode, RouteTarget } from "./router/targets.server";
