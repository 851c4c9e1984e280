import { preparedFind } from "~/core/db.server";
import { organisations } from "~db/schema";

export const findOrganisation = preparedFind(organisations, "id");
