#!/usr/bin/env bash
# Seen on 2026-11-28 with smpp 0.5.1.
# A short_message that is given as a string is encoded in the GSM 7-bit alphabet (GSM 03.38), an octet for each septet, and labeled
# data_coding 1, which SMPP 3.4 (5.2.19) defines as IA5, that is ASCII; the alphabet of the SMSC would be 0. An SMSC that believes the label
# reads the octets of "€5 @ [x]" as control characters and other letters. Given with data_coding: 0, the octets are the same.
# It reads as it writes: a deliver_sm in true ASCII, with data_coding 1, arrives with other characters in place of @, _, $ and brackets.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund smpp@0.5.1
cat > try.cjs <<'JS'
const smpp = require("smpp");
const octets = (fields) => {
  const pdu = new smpp.PDU("submit_sm", { destination_addr: "12125550100", short_message: "€5 @ [x]", ...fields }).toBuffer();
  const length = 11;
  return { text: pdu.subarray(-length).toString("hex"), dataCoding: pdu[pdu.length - length - 3] };
};
console.log(JSON.stringify(octets({})));
console.log(JSON.stringify(octets({ data_coding: 0 })));
const ascii = { short_message: Buffer.from("ada_l@example.com [$5]", "latin1"), data_coding: 1 };
console.log(new smpp.PDU(new smpp.PDU("deliver_sm", ascii).toBuffer()).short_message.message);
JS
seen=$(node try.cjs)
expected='{"text":"1b65352000201b3c781b3e","dataCoding":1}
{"text":"1b65352000201b3c781b3e","dataCoding":0}
ada§l¡example.com Ä¤5Ñ'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
