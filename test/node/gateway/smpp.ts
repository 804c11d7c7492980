/** The part of SMPP 3.4 an SMSC needs to talk to a gateway: PDUs from and to octets. */

import { decodeText } from "./gsm-text.ts";

export const Command = {
  bindReceiver: 0x01,
  bindTransmitter: 0x02,
  submitSm: 0x04,
  deliverSm: 0x05,
  unbind: 0x06,
  bindTransceiver: 0x09,
  enquireLink: 0x15,
  genericNack: 0x80000000,
} as const;

export const Status = {
  ok: 0x00,
  invalidCommand: 0x03,
  wrongBindState: 0x04,
  systemError: 0x08,
  invalidDestination: 0x0b,
  wrongPassword: 0x0e,
  wrongSystemId: 0x0f,
  throttled: 0x58,
  /** In a deliver_sm_resp: the other side cannot take it now. */
  temporaryError: 0x64,
} as const;

export const EsmClass = { message: 0x00, receipt: 0x04, hasHeader: 0x40 } as const;

/** What the TLV message_state says about each state a receipt may name. */
export const MESSAGE_STATES = { DELIVRD: 2, EXPIRED: 3, UNDELIV: 5, ACCEPTD: 6, UNKNOWN: 7, REJECTD: 8 } as const;
export type MessageState = keyof typeof MESSAGE_STATES;

export interface Pdu {
  command: number;
  status: number;
  sequence: number;
  body: Buffer;
}

/** Where a part belongs in a message that was sent in several. */
export interface Part {
  reference: number;
  total: number;
  number: number;
}

/** The fields of a submit_sm that matter to a test. */
export interface ShortMessage {
  from: string;
  to: string;
  dataCoding: number;
  /** The text of this part alone. */
  text: string;
  /** The octets `text` was decoded from, without the header. */
  octets: Buffer;
  part: Part | undefined;
  /** The end of its validity: `YYMMDDhhmmss` and more; empty: as long as the SMSC tries. */
  validity: string;
  wantsReceipt: boolean;
}

export interface DeliverSm {
  from: string;
  to: string;
  esmClass: number;
  dataCoding: number;
  octets: Buffer;
  tlvs?: Buffer;
}

const HEADER_LENGTH = 16;
const MAX_PDU_LENGTH = 64 * 1024;
const RESPONSE_BIT = 0x80000000;
const TON_INTERNATIONAL = 1;
const NPI_E164 = 1;
const TLV_RECEIPTED_MESSAGE_ID = 0x001e;
const TLV_NETWORK_ERROR_CODE = 0x0423;
const TLV_MESSAGE_STATE = 0x0427;
const ELEMENT_CONCATENATED_8BIT = 0x00;
const ELEMENT_CONCATENATED_16BIT = 0x08;

export function isResponse(command: number): boolean {
  return command >= RESPONSE_BIT;
}

export function responseTo(command: number): number {
  return command + RESPONSE_BIT;
}

export function encodePdu({ command, status, sequence, body }: Pdu): Buffer {
  const header = Buffer.alloc(HEADER_LENGTH);
  header.writeUInt32BE(HEADER_LENGTH + body.length, 0);
  header.writeUInt32BE(command, 4);
  header.writeUInt32BE(status, 8);
  header.writeUInt32BE(sequence, 12);
  return Buffer.concat([header, body]);
}

/** Takes the complete PDUs off the front of a stream; `rest` is the beginning of one still on its way. */
export function decodePdus(stream: Buffer): { pdus: Pdu[]; rest: Buffer } {
  const pdus: Pdu[] = [];
  let rest = stream;
  while (rest.length >= HEADER_LENGTH) {
    const length = rest.readUInt32BE(0);
    if (length < HEADER_LENGTH || length > MAX_PDU_LENGTH) throw new RangeError(`SMPP: a PDU of ${length} octets`);
    if (rest.length < length) break;
    pdus.push({
      command: rest.readUInt32BE(4),
      status: rest.readUInt32BE(8),
      sequence: rest.readUInt32BE(12),
      body: rest.subarray(HEADER_LENGTH, length),
    });
    rest = rest.subarray(length);
  }
  return { pdus, rest };
}

/** A C-octet string: what SMPP calls its zero-terminated strings. */
export function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`, "latin1");
}

export function decodeBind(body: Buffer): { systemId: string; password: string } {
  const fields = new FieldReader(body);
  return { systemId: fields.cString(), password: fields.cString() };
}

export function decodeSubmitSm(body: Buffer): ShortMessage {
  const fields = new FieldReader(body);
  fields.cString(); // service_type
  const from = fields.address();
  const to = fields.address();
  const esmClass = fields.octet();
  fields.octets(2); // protocol_id, priority_flag
  fields.cString(); // schedule_delivery_time
  const validity = fields.cString();
  const registeredDelivery = fields.octet();
  fields.octet(); // replace_if_present_flag
  const dataCoding = fields.octet();
  fields.octet(); // sm_default_msg_id
  const userData = fields.octets(fields.octet());

  const headerLength = esmClass & EsmClass.hasHeader ? 1 + (userData[0] ?? 0) : 0;
  const octets = userData.subarray(headerLength);
  return {
    from,
    to,
    dataCoding,
    text: decodeText(dataCoding, octets),
    octets,
    part: decodePart(userData.subarray(1, headerLength)),
    validity,
    wantsReceipt: (registeredDelivery & 0x03) !== 0,
  };
}

export function encodeDeliverSm(message: DeliverSm): Buffer {
  return Buffer.concat([
    cString(""), // service_type
    encodeAddress(message.from),
    encodeAddress(message.to),
    Buffer.of(message.esmClass, 0, 0), // protocol_id, priority_flag
    cString(""), // schedule_delivery_time
    cString(""), // validity_period
    Buffer.of(0, 0, message.dataCoding, 0, message.octets.length), // registered_delivery, replace, sm_default_msg_id
    message.octets,
    message.tlvs ?? Buffer.alloc(0),
  ]);
}

/** A receipt says what it is about twice: in its text, and in these. @param networkError of GSM; left out: only the text has it */
export function receiptTlvs(messageId: string, state: MessageState, networkError?: number): Buffer {
  return Buffer.concat([
    encodeTlv(TLV_RECEIPTED_MESSAGE_ID, cString(messageId)),
    encodeTlv(TLV_MESSAGE_STATE, Buffer.of(MESSAGE_STATES[state])),
    ...(networkError === undefined
      ? []
      : [encodeTlv(TLV_NETWORK_ERROR_CODE, Buffer.of(3, networkError >> 8, networkError & 0xff))]),
  ]);
}

/** Puts the concatenation header before one part of a long message; its deliver_sm needs `EsmClass.hasHeader`. */
export function withPartHeader(octets: Buffer, { reference, total, number }: Part): Buffer {
  return Buffer.concat([Buffer.of(5, ELEMENT_CONCATENATED_8BIT, 3, reference & 0xff, total, number), octets]);
}

/** A user data header is a list of elements: tag, length, value. */
function decodePart(header: Buffer): Part | undefined {
  let rest = header;
  while (rest.length >= 2) {
    const value = rest.subarray(2, 2 + (rest[1] ?? 0));
    if (rest[0] === ELEMENT_CONCATENATED_8BIT && value.length === 3) {
      return { reference: value.readUInt8(0), total: value.readUInt8(1), number: value.readUInt8(2) };
    }
    if (rest[0] === ELEMENT_CONCATENATED_16BIT && value.length === 4) {
      return { reference: value.readUInt16BE(0), total: value.readUInt8(2), number: value.readUInt8(3) };
    }
    rest = rest.subarray(2 + value.length);
  }
  return undefined;
}

function encodeAddress(number: string): Buffer {
  return Buffer.concat([Buffer.of(TON_INTERNATIONAL, NPI_E164), cString(number.replace(/^\+/, ""))]);
}

function encodeTlv(tag: number, value: Buffer): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt16BE(tag, 0);
  header.writeUInt16BE(value.length, 2);
  return Buffer.concat([header, value]);
}

/** Reads the fields of a PDU's body one after the other. */
class FieldReader {
  #rest: Buffer;

  constructor(body: Buffer) {
    this.#rest = body;
  }

  octets(length: number): Buffer {
    if (this.#rest.length < length) throw new RangeError("SMPP: the body ends too soon");
    const octets = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return octets;
  }

  octet(): number {
    return this.octets(1).readUInt8(0);
  }

  cString(): string {
    const end = this.#rest.indexOf(0);
    if (end < 0) throw new RangeError("SMPP: a string without an end");
    return this.octets(end + 1).toString("latin1", 0, end);
  }

  /** An address keeps its digits only: Kannel says "international" by the type of number, not by a plus. */
  address(): string {
    this.octets(2); // type of number, numbering plan
    return this.cString();
  }
}
