import { useLoaderData } from "@remix-run/react";
import { EnvironmentList } from "~/features/settings/components/environment-list";
import { readEnvironment } from "~/features/settings/environment.service.server";
import { screen } from "~/http/screen.server";
import { Notice } from "~/ui/notice";
import { titled } from "~/ui/titled";

export const meta = titled("Environment", "Settings");

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
      <Notice title="How to set them">
        Variables are set where the server is started: in the shell, in a <code>.env</code> file beside it, or
        in compose.yaml. <code>.env.example</code> explains each of them. None is needed to begin with; values
        are never shown here. Restart the server after a change.
      </Notice>
      <EnvironmentList entries={entries} />
    </section>
  );
}
