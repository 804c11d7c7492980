// Pure. The rule for stored texts: UTF-8, in which stores and carriers keep them, has no form for half of a surrogate pair.

export const isWellFormed = (text: string): boolean => text.isWellFormed();

export const ILL_FORMED = { error: "must be well-formed Unicode: it has half of a surrogate pair" };
