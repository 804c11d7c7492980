// What the console reads, in one place: the shapes of the operator's answers. "As today": the call gives it. "Wanted": the page
// needs it, and the call is to give it. test/docs/console-answers.ts holds the first to the schemas of the calls. All times are ISO 8601
// in UTC. For a session, the service masks each phone number (`+1206•••••42`) and e-mail address, and for a viewer the texts; `personId`
// stands for the number in the console's addresses.

export type * from "./answers/messages.ts";
export type * from "./answers/overview.ts";
export type * from "./answers/people.ts";
export type * from "./answers/service.ts";
export type * from "./answers/session.ts";
export type * from "./answers/websites.ts";
