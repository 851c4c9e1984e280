import { Form, useNavigation } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";

export function CacheCard({ cached }: { cached: number }) {
  const navigation = useNavigation();
  const pending = navigation.formData?.get("intent") === "clear-cache";
  return (
    <Card
      id="cache"
      title="Cache"
      description="Clear cached query embeddings and searches"
      actions={
        <Form method="post" preventScrollReset>
          <Button size="sm" name="intent" value="clear-cache" pending={pending}>
            Clear Cache
          </Button>
        </Form>
      }
    >
      <p className="text-muted text-sm">
        {cached === 1 ? "1 value is cached." : `${cached.toLocaleString("en-US")} values are cached.`}
      </p>
    </Card>
  );
}
