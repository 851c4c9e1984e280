import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { screenAddress } from "~/http/return-to.server";
import { NotFound } from "~/ui/error-page";
import { pageTitle } from "~/ui/page-header";

export const meta = pageTitle("Page Not Found");

const respond = ({ request }: LoaderFunctionArgs) =>
  data({ path: screenAddress(request).pathname }, { status: 404 });

export const loader = respond;
export const action = respond;

export default function NotFoundPage() {
  return <NotFound path={useLoaderData<typeof loader>().path} />;
}
