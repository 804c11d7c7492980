import { describeWebsites } from "./over-databases.ts";

describeWebsites("websites over three databases", { databases: 3, websites: 3, changes: 3 });
