import ArgumentParser
import Captures
import Foundation
import JOSE
import Reports

/// Tokens as arguments and files hold them, and what is said where none is there.
enum TokenInput {
    private static let form =
        "a token has three parts (signed) or five (encrypted), separated by dots, and nearly always begins with eyJ; an access token that does not is opaque, and only its provider reads it"

    /// Why a text with the look of a token is none (RFC 7515, section 7.1), or what one looks like.
    private static func hint(on text: String) -> String {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).count
        let isWhole = [3, 5].contains(parts)
        guard isWhole || text.hasPrefix("ey") else { return form }
        let isPart = { (sign: Character) in
            sign.isASCII && (sign.isLetter || sign.isNumber || "-_.+/=".contains(sign))
        }
        if let sign = text.first(where: { !isPart($0) }) {
            return "no token has \(String(sign).debugDescription) in it: was all of it copied?"
        }
        guard !isWhole else {
            return "its first part, the header, is no JSON object in base64url: those begin with eyJ"
        }
        let count = parts == 1 ? "one part" : "\(parts) parts"
        return "it has \(count), and a token three (signed) or five (encrypted): was all of it copied?"
    }

    /// That a file or standard input holds nothing to judge.
    static func noToken(in path: String, of bytes: [UInt8]) -> CommandFailure {
        let isEmpty = !bytes.contains { $0 > 0x20 }
        let isCapture = isCapture(bytes)
        let kind =
            isEmpty
            ? ": it is empty"
            : isCapture ? ": it is a capture" : bytes.contains(0) ? ": it is binary data" : ""
        return CommandFailure(
            .dataError,
            "no token in \(path == "-" ? "standard input" : path)\(kind)",
            hint: isCapture || !isEmpty && path.hasSuffix(".har")
                ? "\(Invocation.command("view", path)) shows those of a capture" : form
        )
    }

    /// Whether a file is a capture, be it packed or cut off.
    static func isCapture(_ bytes: [UInt8]) -> Bool {
        ((try? CaptureReader.read(bytes: bytes, name: ""))?.count ?? 0) > 0
    }

    /// That an argument is neither a file nor a token.
    private static func noToken(named argument: String) -> CommandFailure {
        guard argument.isEmpty else {
            let command = Spelling.near(argument, in: JWT.configuration.subcommands.map { $0._commandName })
                .first
            return CommandFailure(
                .noInput,
                "\(argument): no such file, and no token",
                hint: command.map { "did you mean jwt \($0)?" } ?? form
            )
        }
        return CommandFailure(
            .noInput,
            "the token is empty",
            hint: "a variable that is not set is none: give the token itself, or the file that it is in"
        )
    }

    /// Whether an argument is meant to be a token, and no file's name.
    static func isToken(_ argument: String) -> Bool {
        argument.hasPrefix("eyJ") || argument.hasPrefix("e30.")
            || [2, 4].contains(argument.utf8.count { $0 == 0x2e })
    }

    static func token(in text: String, of file: String?) throws -> JSONWebToken {
        guard let token = JSONWebToken.parse(text) else {
            throw CommandFailure(
                .dataError,
                "\(file.map { "\($0): ".printable } ?? "")no token: \(text.prefix(40).debugDescription)",
                hint: hint(on: text)
            )
        }
        guard !token.isTwoRunTogether else {
            throw CommandFailure(
                .dataError,
                "no JWE: five parts, and a header without enc whose alg is of signed tokens, "
                    + "\(token.algorithm ?? "")",
                hint: "this looks like two tokens run together: put a space between them"
            )
        }
        return token
    }

    /// The tokens that the arguments stand for: themselves, or the lines of a file, with its name.
    static func texts(of arguments: [String]) throws -> [(text: String, file: String?)] {
        // As a header field is copied without quotes around it: Authorization: Bearer eyJ…
        let named = arguments.filter { argument in
            !CopiedTokens.isLabel(argument) || FileManager.default.fileExists(atPath: argument)
        }
        return try (named.isEmpty ? arguments : named).flatMap {
            argument throws -> [(text: String, file: String?)] in
            guard argument == "-" || FileManager.default.fileExists(atPath: argument) else {
                let texts = CopiedTokens.texts(in: argument)
                // A token that was cut off when it was copied is no file that is missing.
                let isToken = isToken(argument) || texts.contains { JSONWebToken.parse($0) != nil }
                guard isToken, !texts.isEmpty else { throw noToken(named: argument) }
                return texts.map { ($0, nil) }
            }
            let bytes = try InputFile.bytes(argument, for: "name the file that the token is in")
            let texts = CopiedTokens.texts(in: String(decoding: bytes, as: UTF8.self))
            // One that is cut off is no JSON, and is read as words.
            let isOther = texts.contains { JSONWebToken.parse($0) == nil } && isCapture(bytes)
            guard !texts.isEmpty, !isOther else { throw noToken(in: argument, of: bytes) }
            return texts.map { ($0, argument == "-" ? "standard input" : argument) }
        }
    }
}
