import { Form, Link, useNavigation } from "@remix-run/react";
import { Anchor } from "lucide-react";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import type { AnchorTargets } from "../anchor.schema";

const LABELS = { file: "the file of AUDIT_ANCHOR", email: "the anchor email", webhook: "the anchor webhook" };

function describe({ file, destinations }: AnchorTargets): string | undefined {
  const targets = [...(file ? [LABELS.file] : []), ...destinations.map((name) => LABELS[name])];
  return targets.length > 0 ? targets.join(", ").replace(/, ([^,]*)$/, " and $1") : undefined;
}

export function AnchorCard({ targets }: { targets: AnchorTargets }) {
  const navigation = useNavigation();
  const described = describe(targets);
  return (
    <Card
      title="Anchors"
      description="An anchor is the signature of the newest entry, kept outside the data folder. It shows whether the whole trail was replaced."
    >
      {described ? (
        <Form method="post" preventScrollReset className="flex flex-wrap items-center justify-between gap-3">
          <p className="min-w-0">Added every day to {described}.</p>
          <Button
            name="intent"
            value="anchor"
            icon={<Anchor />}
            pending={navigation.formData?.get("intent") === "anchor"}
          >
            Add Anchor
          </Button>
        </Form>
      ) : (
        <p>
          Enter an anchor email or webhook under{" "}
          <Link to="/settings/advanced" className="text-primary-ink underline underline-offset-4">
            Settings › Advanced › Security
          </Link>
          , or set AUDIT_ANCHOR to a file.
        </p>
      )}
    </Card>
  );
}
