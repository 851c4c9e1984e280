import { useLoaderData } from "@remix-run/react";
import { EnvironmentList } from "~/console/settings/components/environment-list";
import { readEnvironment } from "~/console/settings/environment.service.server";
import { screen } from "~/http/screen.server";
import { Notice } from "~/ui/notice";
import { pageTitle } from "~/ui/page-header";

export const meta = pageTitle("Environment", "Settings");

const { loader } = screen({
  access: "settings.manage",
  load: ({ actor }) => ({ entries: readEnvironment(actor) }),
});

export { loader };

export default function Environment() {
  const { entries } = useLoaderData<typeof loader>();
  return (
    <section aria-labelledby="environment" className="flex flex-col gap-4">
      <h2 id="environment" className="text-md">
        Environment
      </h2>
      <Notice title="Setting variables">
        Set variables in the shell, a <code>.env</code> file or <code>compose.yaml</code>, then restart the
        server. All are optional. <code>.env.example</code> explains each one. Values are never shown here.
      </Notice>
      <EnvironmentList entries={entries} />
    </section>
  );
}
