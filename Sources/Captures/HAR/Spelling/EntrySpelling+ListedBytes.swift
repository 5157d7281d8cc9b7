import JSON

/// Bodies that stand as a list of numbers, a number for each byte.
extension EntrySpelling {
    /// The bytes of such a body; nil where it is JSON of its own.
    ///
    /// - `body`: `[123,34,…]`, of Java from -128 on; of Node `{"type":"Buffer","data":[123,34,…]}` for a `Buffer`, and
    ///   `{"0":123,"1":34,…}` for a `Uint8Array`.
    /// - `data`: `postData` or `content`, which may tell a length. No list of numbers is as short as there are numbers in it.
    static func listedBytes(_ body: JSONValue, in data: JSONObject, headers: JSONValue?) -> [UInt8]? {
        let (list, isBuffer) = numbers(of: body)
        guard !list.isEmpty else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(list.count)
        for element in list {
            guard let number = element.int, (-128...255).contains(number) else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: number))
        }
        let length = toldLength(of: data, HAREntry.headers(headers))
        if length == bytes.count { return bytes }
        // Servers written for Node send one themselves by mistake.
        if isBuffer { return length == JSONWriter.text(of: body).utf8.count ? nil : bytes }
        let isObject = bytes.first == UInt8(ascii: "{") && (try? JSONParser.parse(bytes))?.object != nil
        return isObject ? bytes : nil
    }

    /// Empty where it is none.
    private static func numbers(of body: JSONValue) -> (list: [JSONValue], isBuffer: Bool) {
        switch body {
        case .array(let list): return (list, false)
        case .object(let object):
            if object["type"] == "Buffer", object.members.count == 2 {
                return (object["data"]?.array ?? [], true)
            }
            let isList = object.members.enumerated().allSatisfy { $0.element.name == String($0.offset) }
            return (isList ? object.members.map(\.value) : [], false)
        default: return ([], false)
        }
    }

    /// The bytes of a `Buffer` that a script in Node has given to `JSON.stringify`.
    static func printedBuffer(_ text: String, in data: JSONObject, headers: JSONValue?) -> [UInt8]? {
        guard text.hasPrefix(#"{"type":"Buffer","data":["#),
            let body = try? JSONParser.parse(Array(text.utf8))
        else { return nil }
        return listedBytes(body, in: data, headers: headers)
    }
}
