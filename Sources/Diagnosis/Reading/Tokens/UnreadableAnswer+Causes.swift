extension UnreadableAnswer {
    /// Why a body is no JSON object, and what helps, by how it looks; nil where it looks like nothing known.
    static func causes(of bytes: [UInt8]) -> (explanation: String, fix: String)? {
        if bytes.starts(with: [0x1f, 0x8b]) {
            return (
                "The body is compressed, and the header Content-Encoding does not say so: a client takes the bytes as they are.",
                "Have the answer say Content-Encoding: gzip, or send it uncompressed; often a proxy drops the header or compresses twice."
            )
        }
        // Of UTF-16 every other byte, of UTF-32 three of four; of noise one now and then.
        let head = bytes.prefix(64)
        if head.count(where: { $0 == 0 }) * 3 > head.count {
            return (
                "The body is not UTF-8, as JSON has to be (RFC 8259, section 8.1), but UTF-16 or UTF-32.",
                "Have the token endpoint write its JSON as UTF-8."
            )
        }
        return cause(of: bytes.drop { $0 <= 0x20 })
    }

    /// The same of a text that is to be JSON, without the white space before it.
    private static func cause(of text: ArraySlice<UInt8>) -> (explanation: String, fix: String)? {
        if [")]}'", "for(;;)", "for (;;)", "while(1)", "{}&&"].contains(where: { text.starts(with: $0.utf8) })
        {
            return (
                "Before the JSON stands a prefix that is to keep other sites from loading it as a script. OAuth clients do not take it off.",
                "Leave the prefix out at the token endpoint, or at the proxy that adds it."
            )
        }
        if text.starts(with: #""{"#.utf8) {
            return (
                "The body is a JSON string in which the object is written once more: it was made into JSON twice.",
                "Have the server answer with the object itself; often a gateway turns a text that is JSON already into a JSON string."
            )
        }
        if text.starts(with: "[".utf8) {
            return (
                "The body is a JSON array; clients look for the tokens in an object.",
                "Have the server answer with the object itself, without the brackets around it."
            )
        }
        if text.first == 0x7b, text.last(where: { $0 > 0x20 }) != 0x7d {
            return (
                "The JSON object is cut off before its end, so a client finds no tokens in it.",
                """
                Compare Content-Length with the bytes that the token endpoint writes: counted in characters, or taken before a proxy changed \
                the body, it is too small. Look for a limit of size on the way, too.
                """
            )
        }
        if text.first == 0x7b {
            return (
                "The body looks like a JSON object and breaks the grammar of JSON, so a client finds no tokens in it.",
                "Have the server write its answer with a JSON library: names and strings in double quotes, no comma at the end."
            )
        }
        return nil
    }
}
