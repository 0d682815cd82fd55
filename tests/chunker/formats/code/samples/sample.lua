local json = require("json")

-- How many.
local LIMIT = 3

local Shape = {
  name = "shape",
  size = 0,
}

-- Makes one.
function Shape.new(name)
  local self = setmetatable({}, Shape)
  self.name = name
  return self
end

--[[
  Counts.
]]
function Shape:count(limit)
  if self.size > limit then
    return limit
  elseif self.size == 0 then
    return 0
  else
    return self.size
  end
end

-- Doubles.
local function double(value)
  return value * 2
end

-- As a value.
local triple = function(value)
  return value * 3
end

return Shape
