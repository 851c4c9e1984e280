import { Badge } from "./badge";

/** Marks a figure or an entry that is an example, shown until there is real data of its kind. */
export function Sample() {
  return <Badge className="border border-line">Sample</Badge>;
}
