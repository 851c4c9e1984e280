import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { answerCall } from "~/http/api.server";

/** Every call of the API, which the features declare. */
export const loader = ({ request, context }: LoaderFunctionArgs) => answerCall(request, context);
export const action = ({ request, context }: ActionFunctionArgs) => answerCall(request, context);
