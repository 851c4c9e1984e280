import { Form } from "@remix-run/react";
import { Search } from "lucide-react";
import { Button } from "~/ui/button";
import { Input } from "~/ui/input";

export function PersonaSearch({ find }: { find: string }) {
  return (
    <Form role="search" action="/personas" className="mb-4 flex max-w-md gap-2">
      <Input
        key={find}
        type="search"
        name="find"
        defaultValue={find}
        maxLength={100}
        aria-label="Search personas"
        placeholder="Search personas"
      />
      <Button icon={<Search aria-hidden="true" />}>Search</Button>
    </Form>
  );
}
