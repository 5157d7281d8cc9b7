import Foundation
import JSON

/// The manual page, made of what the help texts are made of, so that both say the same.
///
/// man(7) macros: what every `man` reads.
enum ManualPage {
    /// - Parameters:
    ///   - help: the argument parser's own description of the commands, as JSON.
    ///   - version: of the program.
    /// - Returns: the page, section 1.
    /// - Throws: a `JSONError` when the description is none.
    static func text(of help: String, version: String) throws -> String {
        let root = try JSONParser.parse(Array(help.utf8))["command"] ?? .null
        let name = root["commandName"]?.string ?? "authreel"
        var lines = [
            ".TH \(name.uppercased()) 1 \"\" \"\(name) \(version)\" \"User Commands\"",
            ".SH NAME", "\(name) \\- \(line(root["abstract"]))",
            ".SH SYNOPSIS", ".B \(name)", ".I COMMAND", "[\\fIOPTIONS\\fR]",
            ".SH DESCRIPTION",
        ]
        lines += discussion(root)
        lines.append(".SH COMMANDS")
        for command in shown(root["subcommands"]) { lines += section(command, below: name) }
        lines += [
            ".SH FILES",
            ".TP", "\\fI~/.config/authreel/\\fR",
            "The recorder's certificate authority: \\fIca.pem\\fR, which clients trust, and its key, for this user alone.",
            ".SH ENVIRONMENT",
            ".TP", "\\fBAUTHREEL_IDENTITY\\fR",
            "A file with the age identity that opens encrypted captures, besides those of \\fB\\-\\-identity\\fR.",
            ".TP", "\\fBNO_COLOR\\fR",
            "Any value but an empty one turns colours off; outside of a terminal, and where TERM is dumb, there are none.",
            ".TP", "\\fBXDG_CONFIG_HOME\\fR",
            "Where the folder \\fIauthreel\\fR of the authority is, instead of ~/.config.",
            ".TP", "\\fBTMPDIR\\fR", "Where the throw\\-away profile of a browser goes.",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func section(_ command: JSONValue, below parent: String) -> [String] {
        let name = "\(parent) \(command["commandName"]?.string ?? "")"
        let arguments = shown(command["arguments"])
        let inner = shown(command["subcommands"])
        var lines = [".SS \(escaped(name))", line(command["abstract"])]
        lines += discussion(command)
        for (index, argument) in arguments.enumerated()
        where !["help", "version"].contains(argument["preferredName"]?["name"]?.string) {
            if index > 0, isOpposite(argument, of: arguments[index - 1]) { continue }
            var names = usage(of: argument)
            if index + 1 < arguments.count, isOpposite(arguments[index + 1], of: argument) {
                names += "/" + usage(of: arguments[index + 1])
            }
            lines += [".TP", names, line(argument["abstract"])]
            if let more = argument["discussion"]?.string, !more.isEmpty { lines.append(escaped(more)) }
            if let value = argument["defaultValue"]?.string, !value.isEmpty,
                argument["kind"]?.string == "option" || names.contains("/")
            {
                lines.append("Default: \(escaped(value)).")
            }
        }
        for command in inner { lines += section(command, below: name) }
        return lines
    }

    /// Whether a flag turns off what the other turns on: the parser has the words of that for both.
    private static func isOpposite(_ argument: JSONValue, of other: JSONValue) -> Bool {
        guard let name = argument["preferredName"]?["name"]?.string,
            let positive = other["preferredName"]?["name"]?.string
        else { return false }
        return argument["kind"]?.string == "flag" && name == "no-\(positive)"
    }

    /// `\fB\-o\fR, \fB\-\-out\fR \fIFILE\fR`.
    private static func usage(of argument: JSONValue) -> String {
        let value = argument["valueName"]?.string ?? ""
        guard argument["kind"]?.string != "positional" else { return "\\fI\(escaped(value))\\fR" }
        let names = (argument["names"]?.array ?? []).map { name in
            let text = name["name"]?.string ?? ""
            return "\\fB\(escaped(name["kind"]?.string == "short" ? "-\(text)" : "--\(text)"))\\fR"
        }
        let option = names.joined(separator: ", ")
        return argument["kind"]?.string == "flag" ? option : "\(option) \\fI\(escaped(value))\\fR"
    }

    /// Paragraphs are filled; lines that are indented stay as they are.
    private static func discussion(_ command: JSONValue) -> [String] {
        var lines: [String] = []
        var isExample = false
        for text in (command["discussion"]?.string ?? "").split(
            separator: "\n",
            omittingEmptySubsequences: false
        ) {
            let isIndented = text.hasPrefix("  ")
            if isIndented != isExample {
                lines.append(isIndented ? ".nf" : ".fi")
                isExample = isIndented
            }
            lines.append(text.isEmpty ? ".PP" : escaped(String(text)))
        }
        if isExample { lines.append(".fi") }
        return (lines.isEmpty ? [] : [".PP"]) + lines
    }

    private static func shown(_ list: JSONValue?) -> [JSONValue] {
        (list?.array ?? []).filter {
            $0["shouldDisplay"]?.bool != false && $0["commandName"]?.string != "help"
        }
    }

    private static func line(_ text: JSONValue?) -> String { escaped(text?.string ?? "") }

    /// Backslashes and hyphens are roff's own, and so are dots and quotes where a line begins.
    ///
    /// An ellipsis is three dots: where the locale is C, what reads the page leaves it out, and `age1…` would be `age1`.
    private static func escaped(_ text: String) -> String {
        let text = text.replacingOccurrences(of: "\\", with: "\\e").replacingOccurrences(of: "-", with: "\\-")
            .replacingOccurrences(of: "…", with: "...")
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
    }
}
